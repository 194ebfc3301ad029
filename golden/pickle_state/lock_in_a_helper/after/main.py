import argparse
import threading

from torch.utils.data import DataLoader, Dataset


class Cache:
    """Shared by threads."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        state.pop("_lock", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()

    def get(self, index: int) -> int:
        with self._lock:
            return index % self.size


class Items(Dataset):
    def __init__(self, size):
        self.cache = Cache(size)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.cache.get(index)


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
