import argparse

from torch.utils.data import DataLoader

import configured
import state
from rows import Rows

configured.init(state, scale=5)
parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--start-method", default="spawn")
args = parser.parse_args()
loader = DataLoader(Rows(), batch_size=2, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
print("RESULT", list(loader))
