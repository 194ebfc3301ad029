import argparse
import itertools

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Documents(IterableDataset):
    def __init__(self, texts, size):
        self.texts = texts
        self.size = size

    def _tokens(self):
        for text in self.texts:
            yield from text.split()

    def __iter__(self):
        worker = get_worker_info()
        start, step = (worker.id, worker.num_workers) if worker else (0, 1)
        return itertools.islice(self._samples(), start, None, step)

    def _samples(self):
        window = []
        for token in self._tokens():
            window.append(int(token))
            if len(window) == self.size:
                yield sum(window)
                window = []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(Documents(["1 2 3", "4 5 6 7", "8"], 2), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", sorted(int(v) for v in loader))


if __name__ == "__main__":
    main()
