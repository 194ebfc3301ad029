import zipfile


class ArchiveReader:
    """Reads members of an archive; everything else is the archive's own."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path)

    def names(self):
        return sorted(self._zip.namelist())

    def __getattr__(self, name):
        return getattr(self._zip, name)
