import argparse

from torch.utils.data import DataLoader, Dataset

from state import init, scaled

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()


class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return scaled(index)


init(4)
loader = DataLoader(Rows(), batch_size=2, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
print("RESULT", list(loader))
