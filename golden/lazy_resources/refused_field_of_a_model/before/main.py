import argparse
import gzip
import os
import tempfile
from typing import Any

import torch
from pydantic import BaseModel, PrivateAttr
from torch.utils.data import DataLoader


class Records(BaseModel):
    path: str
    width: int = 2
    _file: Any = PrivateAttr()

    def model_post_init(self, context):
        self._file = gzip.open(self.path)

    def __len__(self):
        return 6

    def __getitem__(self, i):
        self._file.seek(i * self.width)
        return torch.tensor(list(self._file.read(self.width)))


def build(root):
    path = os.path.join(root, "records.gz")
    with gzip.open(path, "wb") as out:
        out.write(bytes(range(12)))
    return Records(path=path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader], sorted(dataset.model_dump()))


if __name__ == "__main__":
    main()
