import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, group, scale):
        frames = group["frames"]
        self._frames_by_pid = {os.getpid(): frames}
        self._frames_file = frames.file.filename
        self._frames_mode = frames.file.mode
        self._frames_name = frames.name
        self.scale = scale

    @property
    def frames(self):
        pid = os.getpid()
        if pid not in self._frames_by_pid:
            self._frames_by_pid[pid] = h5py.File(self._frames_file, self._frames_mode)[self._frames_name]
        return self._frames_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_frames_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.frames)

    def __getitem__(self, index):
        return torch.tensor(int(self.frames[index]) * self.scale)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "clips.h5")
        with h5py.File(path, "w") as file:
            file["train/frames"] = list(range(7))
        file = h5py.File(path, "r")
        frames = Frames(file["train"], 3)
        method = args.start_method if args.workers else None
        loader = DataLoader(frames, 2, num_workers=args.workers, multiprocessing_context=method)
        print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
