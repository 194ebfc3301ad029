import argparse

from torch.utils.data import DataLoader


def options(workers):
    found = {"num_workers": workers}
    if workers:
        found["persistent_workers"] = True
        found.update(prefetch_factor=2)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(list(range(4)), **options(0))
    more = DataLoader(list(range(4)), **options(args.workers), multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", [[int(n) for n in each] for each in (loader, more)])


if __name__ == "__main__":
    main()
