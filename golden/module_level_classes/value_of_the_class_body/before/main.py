import argparse

import torch
from torch.utils.data import DataLoader, Dataset


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def run(args, settings):
    class Points(Dataset):
        """Points on a line."""

        # the sensor's unit
        scale = settings["scale"]
        offset: float = max(settings["offset"], 0.0)

        def __init__(self, count):
            self.count = count

        def __len__(self):
            return self.count

        def __getitem__(self, index):
            return torch.tensor(index * self.scale + self.offset)

    settings["scale"] = 0.0
    points = Points(settings["count"])
    return [batch.tolist() for batch in DataLoader(points, **options(args))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", run(parser.parse_args(), {"scale": 0.5, "offset": 2.0, "count": 5}))
