import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

LIMIT = None


def seeded(seed):
    global SEED
    SEED = seed


def limited(value):
    return min(value, LIMIT) + SEED


def main():
    global LIMIT
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    LIMIT = 3
    if not args.workers:
        seeded(1)
        print("RESULT", [limited(value) for value in range(6)])
        return
    context = multiprocessing.get_context(args.start_method)
    executor = ProcessPoolExecutor(args.workers, context, initializer=seeded, initargs=(1,))
    with executor:
        print("RESULT", list(executor.map(limited, range(6))))


if __name__ == "__main__":
    main()
