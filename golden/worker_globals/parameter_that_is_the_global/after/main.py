import argparse
import multiprocessing


def scaled(index):
    return index * options.factor


def _init_worker(value):
    global options
    options = value


def compute(options):
    if options.workers == 0:
        return [scaled(index) for index in range(4)]
    context = multiprocessing.get_context(options.start_method)
    with context.Pool(options.workers, initializer=_init_worker, initargs=(options,)) as pool:
        return pool.map(scaled, range(4))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    options = parser.parse_args()
    options.factor = 3
    print("RESULT", compute(options))
