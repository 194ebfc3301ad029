import argparse

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        yield from range(first, 6, step)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    if args.workers:
        loader = DataLoader(
            Stream(),
            num_workers=args.workers,
            multiprocessing_context=args.start_method,
        )
    else:
        loader = DataLoader(Stream())
    print("RESULT", sorted(int(batch) for batch in loader))


if __name__ == "__main__":
    main()
