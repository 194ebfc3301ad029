import argparse
import os

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, opt):
        self.opt = opt

    def __len__(self):
        return self.opt.rows

    def __getitem__(self, index):
        return index * self.opt.scale


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--rows", type=int, default=6)
    parser.add_argument("--scale", type=int, default=2)
    return parser.parse_args()


def main():
    opt = options()
    opt.log = open(os.devnull, "w")
    rows = Rows(opt)
    opt.scale = 3
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=opt.workers,
        multiprocessing_context=opt.start_method if opt.workers else None,
    )
    for batch in loader:
        opt.log.write(f"{batch.tolist()}\n")
    print("RESULT", [batch.tolist() for batch in loader], rows.opt is opt, opt.log.closed)
    opt.log.close()


if __name__ == "__main__":
    main()
