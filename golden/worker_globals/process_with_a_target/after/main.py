import argparse
import functools
import multiprocessing as mp

SCALE = 1


def work(rows, results):
    results.put(sum(rows) * SCALE)


def _run_worker(target, *args, value, **kwargs):
    global SCALE
    SCALE = value
    target(*args, **kwargs)


def collect(args):
    if not args.workers:
        return sum(sum(range(start, 10, 2)) * SCALE for start in range(2))
    context = mp.get_context(args.start_method)
    results = context.Queue()
    workers = [
        context.Process(
            target=functools.partial(_run_worker, work, value=SCALE),
            args=(list(range(start, 10, 2)), results),
        ) for start in range(2)
    ]
    for worker in workers:
        worker.start()
    total = sum(results.get() for _ in workers)
    for worker in workers:
        worker.join()
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    SCALE = 3
    print("RESULT", collect(args))
