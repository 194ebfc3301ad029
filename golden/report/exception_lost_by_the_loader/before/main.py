import argparse

from torch.utils.data import DataLoader, Dataset


class CorruptTile(Exception):
    def __init__(self, tile, offset):
        super().__init__(f"tile {tile}: bad checksum at {offset}")
        self.tile = tile


class Tiles(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 2:
            raise CorruptTile(index, offset=7)
        return index


def total(loader):
    return sum(int(batch.sum()) for batch in loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(Tiles(), batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    try:
        print("RESULT", total(loader))
    except CorruptTile:
        print("RESULT", "a tile is corrupt")


if __name__ == "__main__":
    main()
