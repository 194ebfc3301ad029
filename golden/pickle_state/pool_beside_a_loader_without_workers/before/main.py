import argparse
import multiprocessing

from torch.utils.data import DataLoader


class Counter:
    def __init__(self, letters, processes, method):
        self.letters = letters
        self.pool = None
        if processes:
            self.pool = multiprocessing.get_context(method).Pool(processes)

    def _count(self, word):
        return sum(letter in self.letters for letter in word)

    def count(self, words):
        if self.pool is None:
            return list(map(self._count, words))
        return self.pool.map(self._count, words)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pool is not None:
            self.pool.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with Counter("aeiou", args.workers, args.start_method) as counter:
        counts = counter.count(["one", "three", "queue"])
    print("RESULT", [batch.tolist() for batch in DataLoader(counts, batch_size=2)])
