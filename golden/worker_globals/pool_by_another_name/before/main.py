import argparse
import multiprocessing
from multiprocessing import Pool as ProcessPool

SCALE = None


def scaled(x):
    return x * SCALE


def main():
    global SCALE
    p = argparse.ArgumentParser()
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--start-method", default="spawn")
    p.add_argument("--scale", type=int, default=3)
    args = p.parse_args()
    SCALE = args.scale
    if args.workers:
        multiprocessing.set_start_method(args.start_method, force=True)
        pool = ProcessPool(args.workers)
        out = pool.map(scaled, range(5))
        pool.close()
        pool.join()
    else:
        out = [scaled(x) for x in range(5)]
    print("RESULT", out)


if __name__ == "__main__":
    main()
