import argparse
import collections

from torch.utils.data import DataLoader


def Row(values):
    return sum(values)


def build(count):
    Row = collections.namedtuple("Row", "x y")
    return [Row(n, n + 1) for n in range(count)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    options = {"num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    loader = DataLoader(build(4), batch_size=2, collate_fn=list, **options)
    print("RESULT", [batch for batch in loader], Row([1, 2]))


if __name__ == "__main__":
    main()
