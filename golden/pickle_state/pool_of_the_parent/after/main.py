import argparse
import multiprocessing
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor


class Squares:
    def __init__(self, power):
        self.power = power
        self.known = {}
        self.lock = threading.Lock()
        self.executor = None

    def __getstate__(self):
        state = self.__dict__.copy()
        state["executor"] = None  # it belongs to the process that started it
        state.pop("lock", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()

    def start(self, workers, method):
        context = multiprocessing.get_context(method)
        self.executor = ProcessPoolExecutor(workers, mp_context=context)

    def compute(self, value):
        return value**self.power

    def all(self, values):
        if self.executor is None:
            return [self.compute(value) for value in values]
        futures = [self.executor.submit(self.compute, value) for value in values]
        return [future.result() for future in futures]

    def close(self):
        if self.executor is not None:
            self.executor.shutdown()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    squares = Squares(2)
    if args.workers:
        squares.start(args.workers, args.start_method)
    print("RESULT", squares.all([1, 2, 3]))
    squares.close()


if __name__ == "__main__":
    main()
