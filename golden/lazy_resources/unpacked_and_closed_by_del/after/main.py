import argparse
import mmap
import os
import struct
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset

MAGIC = b"TOK1"
HEADER = struct.Struct("<4sI")
ENTRY = struct.Struct("<QI")


def open_mapped(path):
    handle = open(path, "rb")
    mapped = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
    return handle, mapped


class TokenFile(Dataset):
    """Documents of uint16 tokens behind a table of (offset, count)."""

    def __init__(self, path, block=6):
        self._file_by_pid = {}
        self._map_by_pid = {}
        self.path = path
        self.block = block
        self._file, self._map = open_mapped(path)
        magic, count = HEADER.unpack_from(self._map, 0)
        if magic != MAGIC:
            raise ValueError(f"{path}: not a token file")
        self.table = [ENTRY.unpack_from(self._map, HEADER.size + k * ENTRY.size) for k in range(count)]

    def _open_file(self):
        self._file, self._map = open_mapped(self.path)

    @property
    def _file(self):
        if os.getpid() not in self._file_by_pid:
            self._open_file()
        return self._file_by_pid[os.getpid()]

    @_file.setter
    def _file(self, file):
        self._file_by_pid[os.getpid()] = file

    @property
    def _map(self):
        if os.getpid() not in self._map_by_pid:
            self._open_file()
        return self._map_by_pid[os.getpid()]

    @_map.setter
    def _map(self, map):
        self._map_by_pid[os.getpid()] = map

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        state["_map_by_pid"] = {}
        return state

    def __len__(self):
        return len(self.table)

    def __getitem__(self, k):
        offset, count = self.table[k]
        tokens = struct.unpack_from(f"<{count}H", self._map, offset)
        row = torch.zeros(self.block, dtype=torch.long)
        row[: min(count, self.block)] = torch.tensor(tokens[: self.block])
        return row

    def __del__(self):
        if getattr(self, "_map_by_pid", {}).get(os.getpid()) is not None:
            self._map.close()
            if os.getpid() in getattr(self, "_file_by_pid", ()):
                self._file.close()


def write_tokens(path, documents):
    body = b""
    start = HEADER.size + ENTRY.size * len(documents)
    table = b""
    for doc in documents:
        table += ENTRY.pack(start + len(body), len(doc))
        body += struct.pack(f"<{len(doc)}H", *doc)
    with open(path, "wb") as f:
        f.write(HEADER.pack(MAGIC, len(documents)) + table + body)


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--workers", type=int, default=0)
    p.add_argument("--start-method", default="spawn")
    return p.parse_args()


if __name__ == "__main__":
    args = parse()
    with tempfile.TemporaryDirectory() as tmp:
        name = os.path.join(tmp, "corpus.tok")
        write_tokens(name, [list(range(i, i + i % 4 + 3)) for i in range(8)])
        loader = DataLoader(TokenFile(name), batch_size=3, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers else None)
        rows = [b.tolist() for b in loader]
        del loader
    print("RESULT", rows)
