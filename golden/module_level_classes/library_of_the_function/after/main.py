import argparse

from torch.utils.data import DataLoader

from store import Frames


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": None, "num_workers": args.workers, "multiprocessing_context": context}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    frames = Frames([each / 2 for each in range(8)])
    rows = [int(each) for each in DataLoader(frames.to_torch(4), **options(args))]
    pairs = [each for each in DataLoader(frames.pairs(4), **options(args))]
    print("RESULT", sorted(rows), pairs, frames.to_json())
