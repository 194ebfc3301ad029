import argparse
import os
import h5py

from torch.utils.data import DataLoader

from rows import Rows, Doubled


def fill(path, values):
    with h5py.File(path, "w") as out:
        out["values"] = values


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
    rows = Doubled.from_path(path)
    seen.append(len(rows))
    seen.append(sorted(name for name, value in vars(rows).items() if isinstance(value, (int, str))))
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(1):
        out.append([batch.tolist() for batch in loader])
    seen.append(rows.total)
    rows.close()
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
