import argparse
import zipfile

from torch.utils.data import DataLoader

from rows import Rows


def fill(path, values):
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(zipfile.ZipInfo("all"), bytes(values))


def swap(thing, handle):
    thing.member = handle


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    fill("first.zip", range(6))
    fill("second.zip", range(40, 46))
    rows = Rows("first.zip")
    first = rows.take(1)
    swap(rows, zipfile.ZipFile("second.zip").open("all"))
    context = args.start_method if args.workers else None
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", first, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
