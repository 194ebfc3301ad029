import argparse
import functools
import logging
import logging.handlers
import os

from torch.utils.data import DataLoader, Dataset

LOG = os.path.join("logs", "run.log")


class Lines(Dataset):
    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def file(self):
        return open(self.path, "rb")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.file.seek(index)
        return self.file.read(1)[0]


def set_up():
    os.makedirs("logs")
    with open(os.path.join("logs", "rows.txt"), "wb") as out:
        out.write(bytes(range(6)))
    handler = logging.handlers.RotatingFileHandler(LOG, maxBytes=16, backupCount=1)
    logging.getLogger().addHandler(handler)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    set_up()
    logging.warning("first line")
    rows = Lines(os.path.join("logs", "rows.txt"))
    logging.warning("another line")
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
