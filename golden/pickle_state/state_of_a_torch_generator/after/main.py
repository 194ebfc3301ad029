import argparse

import torch as th
from torch.utils.data import DataLoader, Dataset


class Crops(Dataset):
    """Crops that depend on their index alone."""

    def __init__(self, count, seed):
        self.count = count
        self.seed = seed
        self.generator = th.Generator()

    def __getstate__(self):
        state = self.__dict__.copy()
        state["generator"] = self.generator.get_state().numpy()  # __setstate__ restores it
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.generator = th.Generator().set_state(th.from_numpy(self.generator))

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.generator.manual_seed(self.seed + index)
        return th.randint(0, 100, (2,), generator=self.generator)


class Order(Dataset):
    """Items in an order that the parent draws again for each epoch."""

    def __init__(self, count, seed=None):
        self.random = None
        if seed is not None:
            generator = th.Generator().manual_seed(seed)
            self.random = generator
        self.order = th.arange(count)

    def __getstate__(self):
        state = self.__dict__.copy()
        if self.random is not None:
            state["random"] = self.random.get_state().numpy()
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.random is not None:
            self.random = th.Generator().set_state(th.from_numpy(self.random))

    def shuffle(self):
        if self.random is not None:
            self.order = th.randperm(len(self.order), generator=self.random)

    def __len__(self):
        return len(self.order)

    def __getitem__(self, index):
        return self.order[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    method = args.start_method if args.workers else None
    for dataset in (Crops(6, 7), Order(6, 3), Order(6)):
        loader = DataLoader(dataset, 2, num_workers=args.workers, multiprocessing_context=method)
        for _ in range(2):
            getattr(dataset, "shuffle", list)()
            print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
