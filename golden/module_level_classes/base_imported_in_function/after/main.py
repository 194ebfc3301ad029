import argparse


def make_loader(args):
    from torch.utils import data

    from _torch_squares import Squares

    method = args.start_method if args.workers else None
    return data.DataLoader(Squares(), num_workers=args.workers, multiprocessing_context=method)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", [int(square) for square in make_loader(parser.parse_args())])
