import argparse
import os
import tempfile

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, array, scale=2):
        self.scale = scale
        self._array_by_pid = {os.getpid(): array}
        self._array_path = array.filename
        self._array_dtype = array.dtype
        self._array_offset = array.offset
        self._array_shape = array.shape

    @property
    def array(self):
        pid = os.getpid()
        if pid not in self._array_by_pid:
            self._array_by_pid[pid] = np.memmap(
                self._array_path, self._array_dtype, "r", self._array_offset, self._array_shape
            )
        return self._array_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_array_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        is_mapped = self.array._mmap is not None
        return int(self.array[index]) * self.scale * is_mapped


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.bin")
        np.arange(1, 7).tofile(path)
        rows = Rows(np.memmap(path, dtype=np.int64, mode="r", offset=0))
        loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
