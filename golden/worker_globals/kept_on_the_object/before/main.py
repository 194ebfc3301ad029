import argparse

from config import cfg
from data import Rows
from torch.utils.data import DataLoader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    rows = Rows(range(1, 6))
    cfg["scale"] = 5
    cfg["labels"].update({"row of 5": 100})
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
