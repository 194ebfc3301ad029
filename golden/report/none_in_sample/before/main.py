import argparse

from torch.utils.data import DataLoader, Dataset


class Maybe(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        if i == 2:
            return None
        return i


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(Maybe(), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", [int(v) for v in loader])


if __name__ == "__main__":
    main()
