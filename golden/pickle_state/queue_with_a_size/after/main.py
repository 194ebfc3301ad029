import argparse
import queue

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, size):
        self.scale = 2
        self.size = size
        self._queue = queue.Queue(maxsize=size)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_queue", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._queue = queue.Queue(maxsize=self.size)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self._queue.put(index)
        return self._queue.get() * self.scale


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Items(2)
    loader = DataLoader(
        dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
