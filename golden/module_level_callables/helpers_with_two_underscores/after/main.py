import argparse
import functools

from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.transform(index)


def _transform(number, *, opt):
    return __scaled(number, opt.workers * 0 + 3)


def get_transform(opt, params):
    if params["scaled"]:
        return functools.partial(_transform, opt=opt)
    return functools.partial(__shifted, by=2)


def __scaled(number, by):
    return number * by


def __shifted(number, by):
    return number + by


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    for scaled in (True, False):
        loader = DataLoader(
            Numbers(get_transform(args, {"scaled": scaled})),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
