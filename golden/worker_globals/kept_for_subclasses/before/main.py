import argparse

import settings
from louder import Louder, described
from torch.utils.data import DataLoader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    rows = Louder(5)
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    settings.use(offset=3, gain=10)
    print("RESULT", [batch.tolist() for batch in loader], described())


if __name__ == "__main__":
    main()
