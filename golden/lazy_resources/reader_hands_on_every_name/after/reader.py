import os
import zipfile


class ArchiveReader:
    """Reads members of an archive; everything else is the archive's own."""

    def __init__(self, path):
        self._path = path
        self._zip_by_pid = {}

    @property
    def _zip(self):
        pid = os.getpid()
        if pid not in self._zip_by_pid:
            self._zip_by_pid[pid] = zipfile.ZipFile(self._path)
        return self._zip_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_zip_by_pid"] = {}  # each process opens its own
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)

    def names(self):
        return sorted(self._zip.namelist())

    def __getattr__(self, name):
        return getattr(self._zip, name)
