import argparse

from torch.utils.data import DataLoader

from rows import make

if __name__ == "__main__":
    data = make("train")
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(data, batch_size=2, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", list(loader))
