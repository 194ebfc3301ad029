import argparse

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self, n):
        self.records = [{"x": i} for i in range(n)]

    def __iter__(self):
        info = get_worker_info()
        start, step = (info.id, info.num_workers) if info else (0, 1)
        for record in self.records[start::step]:
            record["x"] *= 2
            yield record


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(Stream(4), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", sorted(int(b["x"]) for _ in range(2) for b in loader))


if __name__ == "__main__":
    main()
