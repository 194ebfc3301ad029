import argparse
import tempfile
from pathlib import Path

import h5py
from torch.utils.data import DataLoader, Dataset

KINDS = ("sound", "touch")


class Recordings(Dataset):
    """One item of each kind at a time."""

    def __init__(self, folder, kinds=KINDS):
        self.folder = Path(folder)
        self.kinds = tuple(kinds)
        self.files = {kind: h5py.File(self.folder / f"{kind}.h5", "r") for kind in self.kinds}
        self.tracks = {kind: file["track"] for kind, file in self.files.items()}
        lengths = {len(track) for track in self.tracks.values()}
        if len(lengths) != 1:
            raise ValueError(f"kinds differ in length: {lengths}")
        self.length = lengths.pop()
        self.gain = {kind: float(track.attrs["gain"]) for kind, track in self.tracks.items()}

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return {kind: track[index] * self.gain[kind] for kind, track in self.tracks.items()}


def record(folder):
    for number, kind in enumerate(KINDS):
        with h5py.File(Path(folder) / f"{kind}.h5", "w") as file:
            file["track"] = [number, number + 2, number + 4, number + 6]
            file["track"].attrs["gain"] = number + 0.5


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    options = {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}
    with tempfile.TemporaryDirectory() as folder:
        record(folder)
        loader = DataLoader(Recordings(folder), **options)
        print("RESULT", [{kind: part.tolist() for kind, part in batch.items()} for batch in loader])
