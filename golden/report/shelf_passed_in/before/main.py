import argparse
import shelve

from torch.utils.data import DataLoader

from rows import Rows


def fill(path, values):
    with shelve.open(path) as out:
        for at, value in enumerate(values):
            out[str(at)] = value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    fill("rows", range(6))
    rows = Rows.from_path("rows")
    context = args.start_method if args.workers else None
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
