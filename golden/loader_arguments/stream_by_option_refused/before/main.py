import argparse

from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Rows(Dataset):
    def __init__(self, numbers):
        self.numbers = numbers

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        return self.numbers[index]


class Stream(IterableDataset):
    def __init__(self, numbers):
        self.numbers = numbers

    def __iter__(self):
        worker = get_worker_info()
        return iter(self.numbers[worker.id :: worker.num_workers] if worker else self.numbers)


def loader_for(numbers, args, context):
    dataset = Rows(numbers)
    if args.stream or args.workers:
        dataset = Stream(numbers)
    return DataLoader(
        dataset,
        batch_size=2,
        shuffle=True,
        num_workers=args.workers,
        multiprocessing_context=context,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--stream", action="store_true")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    print("RESULT", sorted(sum(map(list, loader_for([3, 1, 2], args, context)), [])))


if __name__ == "__main__":
    main()
