import argparse
import tempfile
from pathlib import Path

from torch.utils.data import DataLoader, IterableDataset


class Shards(IterableDataset):
    def __init__(self, folder):
        super().__init__()
        self.folder = Path(folder)

    def shards(self):
        return sorted(self.folder.glob("shard-*.txt"))

    def __iter__(self):
        for shard in self.shards():
            with shard.open() as lines:
                for line in lines:
                    yield int(line)


class Even(IterableDataset):
    def __init__(self, source):
        super().__init__()
        self.source = source

    def __iter__(self):
        for number in self.source:
            if number % 2 == 0:
                yield number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        for shard in range(3):
            text = "".join(f"{10 * shard + i}\n" for i in range(4))
            Path(folder, f"shard-{shard}.txt").write_text(text)
        stream = Even(Shards(folder))
        loader = DataLoader(stream, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", sorted(number for batch in loader for number in batch.tolist()))


if __name__ == "__main__":
    main()
