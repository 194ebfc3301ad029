import argparse
import random
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Endless(IterableDataset):
    def __init__(self, count, seed=13):
        self.count = count
        self._own_rnd = random.Random(seed)
        self._own_rnd_seed = None

    @property
    def _rnd(self):
        worker = get_worker_info()
        if worker is not None and self._own_rnd_seed != worker.seed:
            # each worker draws its own numbers in each epoch
            self._own_rnd_seed = worker.seed
            self._own_rnd = random.Random(worker.seed + self._own_rnd.getrandbits(64))
        return self._own_rnd

    def __iter__(self):
        for _ in range(self.count):
            yield self._rnd.gauss(0, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(Endless(4), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    values = [float(v) for v in loader]
    print("RESULT", len(set(values)) == len(values))


if __name__ == "__main__":
    main()
