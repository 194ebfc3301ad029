import argparse
import os
import tempfile
import zipfile
from typing import Any

from pydantic import BaseModel, Field
from torch.utils.data import DataLoader


class Pages(BaseModel):
    path: str
    archive: Any = Field(default=None, exclude=True)

    def __init__(self, **fields):
        super().__init__(**fields)
        self.archive = zipfile.ZipFile(self.path)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.archive.read(str(index))[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        path = os.path.join(root, "a.zip")
        with zipfile.ZipFile(path, "w") as out:
            for n in range(4):
                out.writestr(str(n), bytes([n]))
        pages = Pages(path=path)
        loader = DataLoader(
            pages, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader], sorted(pages.model_dump()))


if __name__ == "__main__":
    main()
