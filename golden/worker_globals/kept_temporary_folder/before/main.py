import argparse

import os
import tempfile

from torch.utils.data import DataLoader, Dataset

SCRATCH = tempfile.mkdtemp()


class Rows(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        with open(os.path.join(SCRATCH, f"{index}.txt")) as file:
            return int(file.read())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    for row in range(5):
        with open(os.path.join(SCRATCH, f"{row}.txt"), "w") as file:
            file.write(str(row * 3))
    rows = Rows(5)
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
