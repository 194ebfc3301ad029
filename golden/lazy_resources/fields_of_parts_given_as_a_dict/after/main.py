import argparse
import functools
import tempfile
from dataclasses import dataclass

import h5py
from torch.utils.data import DataLoader, Dataset

from record import manifest


@dataclass
class Part:
    path: str
    weight: int = 1

    @functools.cached_property
    def file(self):
        return h5py.File(self.path, "r")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def row(self, index):
        return int(self.file["x"][index]) * self.weight


@dataclass
class Mixture(Dataset):
    parts: list[Part]

    def __len__(self):
        return 3 * len(self.parts)

    def __getitem__(self, index):
        return self.parts[index // 3].row(index % 3)


def write(path, start):
    with h5py.File(path, "w") as out:
        out["x"] = range(start, start + 3)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        parts = [Part(write(f"{root}/{n}.h5", 10 * n), weight=n + 1) for n in range(2)]
        mixture = Mixture(parts)
        fields = manifest(mixture)
        loader = DataLoader(
            mixture, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader], fields)


if __name__ == "__main__":
    main()
