import argparse
import functools

import torch.multiprocessing as mp


class Result:
    """A value and its square."""

    def __init__(self, value):
        self.value = value
        self.square = value * value + offset_of(value)

    def __lt__(self, other):
        return self.value < other.value


def _work(chunk, put, *, offset):
    for value in chunk:
        put(Result(value + offset))


def run(values, workers, method, offset=1):
    work = functools.partial(_work, offset=offset)

    results = []
    if workers == 0:
        work(values, results.append)
    else:
        context = mp.get_context(method)
        queue = context.SimpleQueue()
        processes = [
            context.Process(target=work, args=(values[k::workers], queue.put))
            for k in range(workers)
        ]
        for process in processes:
            process.start()
        results = [queue.get() for _ in values]
        for process in processes:
            process.join()
    return [each.square for each in sorted(results)]


def offset_of(value):
    return value % 2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", run(list(range(7)), args.workers, args.start_method))


if __name__ == "__main__":
    main()
