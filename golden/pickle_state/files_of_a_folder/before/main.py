import argparse
import tempfile
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset


class Scores(Dataset):
    def __init__(self, root):
        self.root = Path(root)
        self.paths = self.root.glob("*.txt")  # one file for each subject
        self.scores = [int(path.read_text()) for path in sorted(self.paths)]

    def __len__(self):
        return len(self.scores)

    def __getitem__(self, index):
        return torch.tensor(self.scores[index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(4):
            (Path(folder) / f"{number}.txt").write_text(str(number * number))
        context = args.start_method if args.workers else None
        dataset = Scores(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
