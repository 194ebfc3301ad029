import argparse


def make_loader(args):
    from torch.utils import data

    class Squares(data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return index * index

    method = args.start_method if args.workers else None
    return data.DataLoader(Squares(), num_workers=args.workers, multiprocessing_context=method)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", [int(square) for square in make_loader(parser.parse_args())])
