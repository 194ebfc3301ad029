import argparse
import multiprocessing


class Options(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--factor", type=int, default=3)
    args = parser.parse_args()
    options = Options(factor=args.factor)

    def scaled(value):
        return value * options.factor

    if args.workers:
        with multiprocessing.get_context(args.start_method).Pool(args.workers) as pool:
            print("RESULT", list(pool.imap(scaled, range(5))))
    else:
        print("RESULT", list(map(scaled, range(5))))
