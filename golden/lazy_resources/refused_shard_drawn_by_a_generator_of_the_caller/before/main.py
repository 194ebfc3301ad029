import argparse
import os
import random
import tempfile
import zipfile

from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Shard(Dataset):
    def __init__(self, paths, rng):
        self.archive = zipfile.ZipFile(rng.choice(paths))
        self.order = rng.sample(range(4), 4)

    def __len__(self):
        return len(self.order)

    def __getitem__(self, index):
        return self.archive.read(str(self.order[index]))[0]


def pack(root, number):
    path = os.path.join(root, f"{number}.zip")
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(str(n), bytes([10 * number + n]))
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        paths = [pack(root, number) for number in range(5)]
        rng = random.Random(11)
        shards = ConcatDataset([Shard(paths, rng) for _ in range(3)])
        loader = DataLoader(
            shards, batch_size=4, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader], rng.random())


if __name__ == "__main__":
    main()
