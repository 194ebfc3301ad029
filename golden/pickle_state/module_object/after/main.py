import argparse
import importlib

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, backend):
        self.backend_name = backend
        self.backend = importlib.import_module(backend)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("backend", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.backend = importlib.import_module(self.backend_name)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.backend.sqrt(index * index))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Items("math")
    loader = DataLoader(
        dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
