import argparse

import augment  # noqa: F401  (fills the registry)
import torch
from registry import AUGMENTATIONS
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, names):
        self.augmentations = [AUGMENTATIONS[name] for name in names]

    def __len__(self):
        return 4

    def __getitem__(self, index):
        image = torch.arange(6).reshape(2, 3) + index
        for apply in self.augmentations:
            image = apply(image)
        return image


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    options = {"num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    loader = DataLoader(Images(["flip", "roll"]), batch_size=2, **options)
    print("RESULT", AUGMENTATIONS["flip"].__name__)
    print("RESULT", [batch.flatten().tolist() for batch in loader])


if __name__ == "__main__":
    main()
