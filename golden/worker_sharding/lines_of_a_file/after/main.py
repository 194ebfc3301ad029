import argparse
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Lines(IterableDataset):
    """Numbers, one a line."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __iter__(self) -> Iterator[int]:
        worker = get_worker_info()
        start, step = (worker.id, worker.num_workers) if worker else (0, 1)
        # a line is a sample
        with open(self.path) as file:
            for line in itertools.islice(file, start, None, step):
                number = int(line)
                yield number * 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    path = Path(tempfile.mkdtemp()) / "numbers.txt"
    path.write_text("".join(f"{n}\n" for n in range(7)))
    dataset = Lines(str(path))
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
