import argparse

from torch.utils.data import DataLoader


class Loaders:
    """Two loaders over the same rows."""

    def __init__(self, rows, args):
        self.rows = rows
        self.args = args
        self.scale = 3

    @staticmethod
    def __times(value, scale):
        return value * scale

    def _collate(self, batch):
        return [self.__times(value, self.scale) for value in batch]

    def _pairs(self, batch):
        return [[value, value] for value in batch]

    def loader(self):
        return self.make(self._collate)

    def make(self, collate):
        context = self.args.start_method if self.args.workers else None
        return DataLoader(
            self.rows,
            batch_size=2,
            num_workers=self.args.workers,
            collate_fn=collate,
            multiprocessing_context=context,
        )


class Pairs(Loaders):
    def _pairs_collate(self, batch):
        return self._pairs(batch)

    def pairs(self):
        return self.make(self._pairs_collate)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    both = Pairs(list(range(6)), args)
    print("RESULT", list(both.loader()), list(both.pairs()))


if __name__ == "__main__":
    main()
