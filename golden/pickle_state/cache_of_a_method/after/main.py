import argparse
import functools

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, scale, size=None):
        self.scale = scale
        self.size = size
        self._cached = functools.lru_cache(maxsize=size)(self._load)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_cached", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._cached = functools.lru_cache(maxsize=self.size)(self._load)

    def _load(self, index):
        return index * self.scale

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self._cached(index)


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
