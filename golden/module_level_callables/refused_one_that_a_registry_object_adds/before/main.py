import argparse
import threading

from torch.utils.data import DataLoader


class Registry:
    def __init__(self):
        self.known = {}

    def add(self, function):
        self.known[function.__name__] = function
        return function


COLLATES = Registry()


def set_up(lock):
    @COLLATES.add
    def total(batch):
        return [sum(batch)]

    @COLLATES.add
    def guarded(batch):
        with lock:
            return list(batch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    set_up(threading.Lock())
    for name in ("total", "guarded"):
        loader = DataLoader(
            range(6),
            batch_size=2,
            collate_fn=COLLATES.known[name],
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", list(loader))


if __name__ == "__main__":
    main()
