import argparse
import itertools
import tempfile
from pathlib import Path

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, number):
        return number * self.factor


def numbers_of(path):
    with open(path) as lines:
        for line in lines:
            yield int(line)


class Numbers(IterableDataset):
    def __init__(self, folder, transform=None):
        self.paths = sorted(Path(folder).glob("*.txt"))
        self.transform = transform

    def __iter__(self):
        worker = get_worker_info()
        start, step = (worker.id, worker.num_workers) if worker else (0, 1)
        for path in itertools.islice(self.paths, start, None, step):
            for number in numbers_of(path):
                if self.transform is not None:
                    number = self.transform(number)
                yield number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        for part in range(3):
            text = "".join(f"{10 * part + i}\n" for i in range(4))
            Path(folder, f"{part}.txt").write_text(text)
        dataset = Numbers(folder, Scaled(2))
        loader = DataLoader(dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", sorted(number for batch in loader for number in batch.tolist()))


if __name__ == "__main__":
    main()
