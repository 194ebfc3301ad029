import argparse
import threading

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, scale):
        self.scale = scale
        self._lock = threading.Lock()
        self._cache = {}

    def __getstate__(self):
        state = {name: value for name, value in self.__dict__.items() if name != "_cache"}
        state.pop("_lock", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._cache = {}
        self._lock = threading.Lock()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        with self._lock:
            return index * self.scale


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
