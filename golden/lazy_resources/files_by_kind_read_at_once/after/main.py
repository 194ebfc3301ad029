import argparse
import functools
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
        files = self._open_files()
        tracks = {kind: file["track"] for kind, file in files.items()}
        lengths = {len(track) for track in tracks.values()}
        if len(lengths) != 1:
            raise ValueError(f"kinds differ in length: {lengths}")
        self.length = lengths.pop()
        self.gain = {kind: float(track.attrs["gain"]) for kind, track in tracks.items()}
        for opened in files.values():
            opened.close()

    def _open_files(self):
        return {kind: h5py.File(self.folder / f"{kind}.h5", "r") for kind in self.kinds}

    @functools.cached_property
    def files(self):
        return self._open_files()

    @functools.cached_property
    def tracks(self):
        return {kind: file["track"] for kind, file in self.files.items()}

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("files", None)  # each process opens its own
        state.pop("tracks", None)
        return state

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
