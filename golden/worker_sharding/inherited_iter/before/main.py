import argparse
from streams import Stream
from torch.utils.data import DataLoader


class Letters(Stream):
    pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Letters([ord(c) for c in "dlfix"])
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [sorted(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
