import argparse

from torch.utils.data import DataLoader

AGAIN = True

if not __name__ != "__main__" and AGAIN:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(list(range(4)), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", [int(number) for number in loader])
