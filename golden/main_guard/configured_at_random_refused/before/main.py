import argparse

from torch.utils.data import DataLoader, Dataset

import state

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()


class Rows(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return state.look(index)


state.load()
loader = DataLoader(Rows(), batch_size=2, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
batches = list(loader)
print("RESULT", [x for b in batches for x in b] == state.VOCAB[:4])
