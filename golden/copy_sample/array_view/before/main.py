import argparse
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self):
        self.images = np.zeros((4, 2))

    def __len__(self):
        return 4

    def __getitem__(self, index):
        image = self.images[index]
        image += index + 1
        return image


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Images()
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [[image.tolist() for image in loader] for _ in range(2)])


if __name__ == "__main__":
    main()
