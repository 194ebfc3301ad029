import argparse
import multiprocessing


def square(x):
    return x * x


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()

    if args.workers:
        with multiprocessing.get_context(args.start_method).Pool(args.workers) as pool:
            squares = pool.map(square, range(5))
    else:
        squares = [square(x) for x in range(5)]
    print("RESULT", squares)
