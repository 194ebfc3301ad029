import argparse
import os

from torch.utils.data import DataLoader

from rows import Rows


def fill(path, values):
    with open(path, "wb") as out:
        out.write(len(values).to_bytes(4, "little"))
        for value in values:
            out.write(value.to_bytes(4, "little"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    path, other = "data/first", "data/second"
    fill(path, [at * at + 1 for at in range(6)])
    fill(other, [at + 40 for at in range(6)])
    seen = []
    rows = Rows(path)
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(1):
        out.append([batch.tolist() for batch in loader])
    seen.append(rows.summary)
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
