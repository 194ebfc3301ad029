import argparse
import threading

from counting import Counting
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Words(Counting, Dataset):
    def __getstate__(self):
        # counts are of one process
        state = {**self.__dict__, "counts": dict.fromkeys(self.names, 0)}
        state.pop("_lock", None)  # recreated by __setstate__
        return state

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return len(self.names[index]) + self.count(self.names[index])


class Weighted(Words):
    def __init__(self, names, weight):
        super().__init__(names)
        self.weight = weight

    def __getstate__(self):
        state = super().__getstate__()
        state["format"] = 2
        return state

    def __setstate__(self, state):
        if state.pop("format", 1) < 2:
            state["weight"] = 1
        vars(self).update(state)
        self._lock = threading.Lock()

    def __getitem__(self, index):
        return self.weight * super().__getitem__(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    data = ConcatDataset([Words(["a", "bc"]), Weighted(["def", "ghij"], 3)])
    loader = DataLoader(
        data,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.item() for batch in loader])


if __name__ == "__main__":
    main()
