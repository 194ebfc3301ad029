import argparse
import os
import tempfile
import zipfile as zf

import h5py
from torch.utils.data import DataLoader, Dataset


class Corpus:
    """Recordings by name, and their notes."""

    def __init__(self, recordings, notes):
        self._recordings_by_pid = {os.getpid(): recordings}
        self._recordings_arguments = {
            key: (each.filename, each.mode)
            for key, each in recordings.items()
        }
        self._notes_by_pid = {os.getpid(): notes}
        self._notes_names = [each.filename for each in notes]

    @property
    def notes(self):
        pid = os.getpid()
        if pid not in self._notes_by_pid:
            self._notes_by_pid[pid] = [zf.ZipFile(name) for name in self._notes_names]
        return self._notes_by_pid[pid]

    @property
    def recordings(self):
        pid = os.getpid()
        if pid not in self._recordings_by_pid:
            self._recordings_by_pid[pid] = {
                key: h5py.File(name, mode)
                for key, (name, mode) in self._recordings_arguments.items()
            }
        return self._recordings_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_recordings_by_pid"] = {}  # each process opens its own
        state["_notes_by_pid"] = {}
        return state

    @classmethod
    def from_folder(cls, folder, names):
        recordings = {name: h5py.File(f"{folder}/{name}.h5", "r") for name in names}
        return cls(recordings, [zf.ZipFile(f"{folder}/{name}.zip") for name in names])

    def close(self):
        if os.getpid() in self._recordings_by_pid:
            for recording in self.recordings.values():
                recording.close()


class Items(Dataset):
    def __init__(self, corpus):
        self.corpus = corpus

    def __len__(self):
        return 4

    def __getitem__(self, index):
        note = self.corpus.notes[index % 2].read("note")
        return int(self.corpus.recordings["ab"[index % 2]]["x"][index]) + len(note)


def make(folder):
    for name in "ab":
        with h5py.File(f"{folder}/{name}.h5", "w") as file:
            file["x"] = [ord(name) * i for i in range(4)]
        with zf.ZipFile(f"{folder}/{name}.zip", "w") as archive:
            archive.writestr("note", name * 3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        corpus = Corpus.from_folder(folder, "ab")
        loader = DataLoader(
            Items(corpus),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])
        corpus.close()


if __name__ == "__main__":
    main()
