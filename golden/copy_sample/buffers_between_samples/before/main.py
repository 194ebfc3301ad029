import argparse
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Buckets(IterableDataset):
    def __init__(self, number):
        self.number = number
        self.buckets = [[] for _ in range(2)]

    def __iter__(self):
        worker = get_worker_info()
        start, step = (worker.id, worker.num_workers) if worker else (0, 1)
        for bucket in self.buckets:
            bucket.clear()
        for number in range(start, self.number, step):
            bucket = self.buckets[number % 2]
            bucket.append(number)
            if len(bucket) == 2:
                yield torch.tensor(bucket)
                bucket.clear()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(Buckets(8), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None, batch_size=None)
    print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
