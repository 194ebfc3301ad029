import argparse
import functools
import multiprocessing


def _scaled(value, *, args, offset, is_far, limits):
    return min(value * args.factor + offset + is_far, limits[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--factor", type=int, default=3)
    args = parser.parse_args()
    offset = args.factor + 1
    is_far = offset > 3
    limits = (0, 10)

    scaled = functools.partial(_scaled, args=args, offset=offset, is_far=is_far, limits=limits)

    if args.workers:
        with multiprocessing.get_context(args.start_method).Pool(args.workers) as pool:
            print("RESULT", list(pool.imap(scaled, range(5))))
    else:
        print("RESULT", list(map(scaled, range(5))))
