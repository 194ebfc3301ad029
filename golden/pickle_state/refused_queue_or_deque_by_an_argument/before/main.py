import argparse
import collections
import queue

from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Buffered(Dataset):
    def __init__(self, values, threaded):
        self.values = values
        self.free = queue.SimpleQueue() if threaded else collections.deque()
        for place in range(3):
            if threaded:
                self.free.put(place)
            else:
                self.free.append(place)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        if isinstance(self.free, collections.deque):
            place = self.free.popleft()
            self.free.append(place)
        else:
            place = self.free.get()
            self.free.put(place)
        return self.values[index] + 0 * place


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    both = ConcatDataset([Buffered([1, 2], True), Buffered([3, 4], False)])
    loader = DataLoader(
        both, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
