import argparse
import functools
import multiprocessing


def _scaled(value, *, table):
    return table[value]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--factor", type=int, default=3)
    args = parser.parse_args()
    table = [value * args.factor for value in range(100000)]

    scaled = functools.partial(_scaled, table=table)

    if args.workers:
        with multiprocessing.get_context(args.start_method).Pool(args.workers) as pool:
            print("RESULT", list(pool.imap(scaled, range(5))))
    else:
        print("RESULT", list(map(scaled, range(5))))
