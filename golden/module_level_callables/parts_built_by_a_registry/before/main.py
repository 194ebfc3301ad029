import argparse
import json

from pipelines import Compose
from registry import DATASETS, build_from_cfg
from torch.utils.data import DataLoader, Dataset

CONFIG = """
{"type": "Numbers", "count": 6, "pipeline": [{"type": "Scale", "factor": 2}, {"type": "Shift", "by": 3}]}
"""


@DATASETS.register
class Numbers(Dataset):
    def __init__(self, count, pipeline):
        self.count = count
        self.pipeline = Compose(pipeline)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.pipeline(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    dataset = build_from_cfg(json.loads(CONFIG), DATASETS)
    context = args.start_method if args.workers else None
    loader = DataLoader(
        dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
