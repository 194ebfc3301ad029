import argparse
import os
import random
import tempfile

import torch
from torch.utils.data import DataLoader

from telemetry import PACKET, Header, Packets


def simulate(path, packets):
    rnd = random.Random(2718)
    with open(path, "wb") as f:
        Header(vehicle="rover-2", scale=3, skip=5).write(f)
        for _ in range(packets):
            f.write(PACKET.pack(rnd.randrange(8), rnd.randrange(4), rnd.randrange(-999, 999), rnd.randrange(5000)))


def decode(path, args):
    stream = open(path, "rb")
    try:
        header = Header.read(stream)
        loader = DataLoader(
            Packets(stream, header),
            batch_size=16,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        count, sums = 0, torch.zeros(4, dtype=torch.long)
        for batch in loader:
            count += len(batch)
            sums += batch.sum(0)
    finally:
        stream.close()
    return header, count, sums.tolist()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn", choices=["fork", "spawn", "forkserver"])
    parser.add_argument("--packets", type=int, default=400)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "drive.tlm")
        simulate(path, args.packets)
        header, count, sums = decode(path, args)
    print("RESULT", header.vehicle, count, sums)


if __name__ == "__main__":
    main()
