import argparse

import pandas as pd
from torch.utils.data import DataLoader, Dataset


class Trips(Dataset):
    def __init__(self, frame):
        kept = frame[frame["km"] > 1]
        self.trips = list(kept.itertuples(index=False))

    def __len__(self):
        return len(self.trips)

    def __getitem__(self, index):
        return self.trips[index].km


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    frame = pd.DataFrame({"id": [1, 2, 3, 4], "km": [0.5, 1.5, 2.5, 3.5]})
    loader = DataLoader(Trips(frame), batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
