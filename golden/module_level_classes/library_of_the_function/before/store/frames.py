import json
import math


class Frames:
    def __init__(self, rows):
        self.rows = rows

    def to_json(self):
        return json.dumps(self.rows)

    def to_torch(self, scale=1, first=0):
        """Return the rows as a dataset of PyTorch, which need not be installed otherwise."""
        import torch

        def read(index, options={}):
            return math.floor(self.rows[index] * scale) + options.get("shift", 0)

        class TorchFrames(torch.utils.data.IterableDataset):  # type: ignore
            def __iter__(self):
                worker = torch.utils.data.get_worker_info()
                step = 1 if worker is None else worker.num_workers
                start = first if worker is None else first + worker.id
                for index in range(start, 8, step):
                    yield torch.tensor(read(index))

        return TorchFrames()

    def pairs(self, size):
        try:
            from torch.utils.data import Dataset
        except ImportError:
            raise RuntimeError("install torch")

        class Pairs(Dataset):
            def __init__(self, rows, size=size):
                self.rows = rows
                self.size = size

            def __len__(self):
                return self.size

            def __getitem__(self, index):
                return self.rows[index], self.rows[-1 - index]

        return Pairs(self.rows)
