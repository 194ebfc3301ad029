import argparse
import threading
from dataclasses import dataclass, field

from torch.utils.data import DataLoader, Dataset


@dataclass(slots=True)
class Cache:
    limit: int = 2
    entries: dict[int, int] = field(default_factory=dict, init=False, repr=False)
    lock: threading.Lock = field(default_factory=threading.Lock, init=False, compare=False)
    readers: threading.Semaphore = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.readers = threading.Semaphore(self.limit)

    def __getstate__(self) -> dict[str, object]:
        names = ("limit", "entries")  # readers, lock: recreated by __setstate__
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self.readers = threading.Semaphore(self.limit)
        self.lock = threading.Lock()

    def square(self, number: int) -> int:
        with self.readers, self.lock:
            return self.entries.setdefault(number, number * number)


class Squares(Dataset):
    def __init__(self, cache: Cache) -> None:
        self.cache = cache

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> int:
        return self.cache.square(index)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    cache = Cache(limit=3)
    warm = cache.square(4)
    loader = DataLoader(
        Squares(cache),
        batch_size=3,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", warm, [batch.tolist() for batch in loader], cache.limit)


if __name__ == "__main__":
    main()
