import argparse
import json

import settings
from torch.utils.data import DataLoader, Dataset


class Scaled(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return float(index * settings.SCALE + settings.OFFSET)


def override(text):
    for key, value in json.loads(text).items():
        setattr(settings, key.upper(), value)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    override('{"scale": 3}')
    options = {"batch_size": 2, "num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    loader = DataLoader(Scaled(), **options)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
