import argparse
import multiprocessing as mp

SCALE = None


def scaled(x):
    return x * SCALE


def _init_worker(value):
    global SCALE
    SCALE = value


def main():
    global SCALE
    p = argparse.ArgumentParser()
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--start-method", default="spawn")
    p.add_argument("--scale", type=int, default=3)
    args = p.parse_args()
    SCALE = args.scale
    if args.workers:
        with mp.get_context(args.start_method).Pool(
            args.workers, initializer=_init_worker, initargs=(SCALE,)
        ) as pool:
            out = pool.map(scaled, range(5))
    else:
        out = [scaled(x) for x in range(5)]
    print("RESULT", out)


if __name__ == "__main__":
    main()
