import argparse
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Numbers(IterableDataset):
    def __init__(self, stop):
        self.offset = 0
        self.stride = 1
        self.stop = stop

    def __iter__(self):
        return iter(range(self.offset, self.stop, self.stride))


def take_share(number):
    info = get_worker_info()
    info.dataset.offset = number
    info.dataset.stride = info.num_workers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Numbers(9)
    loader = DataLoader(dataset, batch_size=None, worker_init_fn=take_share, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
