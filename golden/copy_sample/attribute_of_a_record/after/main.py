import argparse
import copy

from dataclasses import dataclass

import numpy as np
from torch.utils.data import DataLoader, Dataset


@dataclass
class Annotation:
    boxes: np.ndarray
    label: int


class Boxes(Dataset):
    def __init__(self, n):
        self.annotations = [Annotation(np.array([[1.0, 1.0, 3.0, 4.0]]) * (i + 1), i) for i in range(n)]

    def __len__(self):
        return len(self.annotations)

    def __getitem__(self, i):
        ann = copy.deepcopy(self.annotations[i])
        ann.boxes[:, 2:] -= ann.boxes[:, :2]
        return ann.boxes, ann.label


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(Boxes(4), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", [float(b.sum()) for _ in range(2) for b, _ in loader])


if __name__ == "__main__":
    main()
