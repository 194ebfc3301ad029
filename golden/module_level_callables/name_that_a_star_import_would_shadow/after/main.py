import argparse

from scaling import *
from loaders import *


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    args = parser.parse_args()
    loader = make_loader(args.workers, args.start_method)
    print("RESULT", [scale(int(batch)) for batch in loader])


if __name__ == "__main__":
    main()
