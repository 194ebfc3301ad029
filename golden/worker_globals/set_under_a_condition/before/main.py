import argparse

from torch.utils.data import DataLoader, Dataset

scale = 1


class Frames(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return read(index)


def read(index):
    return index * scale


def configure(value):
    global scale
    scale = value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--plain", action="store_true")
    args = parser.parse_args()
    if not args.plain:
        configure(3)
    method = args.start_method if args.workers else None
    loader = DataLoader(Frames(), num_workers=args.workers, multiprocessing_context=method)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
