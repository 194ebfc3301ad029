import argparse
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Volume:
    def __init__(self, path):
        self.file = h5py.File(path, "r")


class Slices(Dataset):
    def __init__(self, path, scale):
        self.scale = scale
        self.volume = Volume(path)
        self.values = self.volume.file["values"]
        self.length = len(self.volume.file["values"])

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return int(self.values[index]) * self.scale


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with h5py.File(folder + "/a.h5", "w") as out:
            out["values"] = [index * index for index in range(6)]
        dataset = Slices(folder + "/a.h5", 3)
        context = args.start_method if args.workers else None
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
