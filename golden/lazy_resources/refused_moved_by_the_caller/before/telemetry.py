import json
import struct
from dataclasses import dataclass

import torch
from torch.utils.data import IterableDataset, get_worker_info

PACKET = struct.Struct("<HHii")


@dataclass
class Header:
    vehicle: str
    scale: int
    skip: int

    @classmethod
    def read(cls, stream):
        (length,) = struct.unpack("<I", stream.read(4))
        fields = json.loads(stream.read(length))
        header = cls(**fields)
        stream.read(header.skip * PACKET.size)
        return header

    def write(self, stream):
        raw = json.dumps(self.__dict__).encode().ljust(56)
        stream.write(struct.pack("<I", len(raw)) + raw)


class Packets(IterableDataset):
    def __init__(self, stream, header):
        self.stream = stream
        self.header = header

    def __iter__(self):
        info = get_worker_info()
        part, parts = (info.id, info.num_workers) if info else (0, 1)
        number = 0
        while True:
            raw = self.stream.read(PACKET.size)
            if len(raw) < PACKET.size:
                return
            if number % parts == part:
                channel, flags, a, b = PACKET.unpack(raw)
                yield torch.tensor([channel, flags, a * self.header.scale, b])
            number += 1
