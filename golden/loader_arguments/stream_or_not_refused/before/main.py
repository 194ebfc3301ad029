import argparse

from torch.utils.data import DataLoader, Dataset, IterableDataset


class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(4))


def make(streaming):
    if streaming:
        return Stream()
    return Rows()


def run(args):
    loader = DataLoader(make(args.workers > 0), batch_size=2, shuffle=True, num_workers=args.workers)
    return sorted(x for b in loader for x in b)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
