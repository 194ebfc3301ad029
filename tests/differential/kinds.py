"""The kinds of resources: how each is filled, opened, asked and read.

`H` stands for the handle, `D` for what is derived from it, `I` for an index, `P` for a path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind of resource."""

    name: str
    attribute: str
    imports: tuple[str, ...]
    fill: tuple[str, ...]  # writes `values` to P
    open: str
    length: str
    read: str
    seek: str = ""  # a statement before `read`
    keys: str = "list(range(LENGTH))"
    header: str = ""  # what `__init__` reads from the front, moving the position
    derived: tuple[str, str, str, str] | None = None  # attribute, expression, statement, read
    close: str = "H.close()"
    helpers: tuple[str, ...] = ()  # functions of the module that opens it
    folder: bool = False  # P is a folder
    files: bool = True  # whether it has anything on disk

    def say(self, template: str, **names: str) -> str:
        """Fill in a template."""
        template = template.replace("LENGTH", self.length)
        return re.sub(r"\b[HDIP]\b", lambda match: names.get(match[0], match[0]), template)


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "sqlite", "db", ("import sqlite3",),
            (
                "db = sqlite3.connect(P)",
                'db.execute("CREATE TABLE rows (id INTEGER, value INTEGER)")',
                'db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(values))',
                "db.commit()",
                "db.close()",
            ),
            "sqlite3.connect(P)",
            'H.execute("SELECT COUNT(*) FROM rows").fetchone()[0]',
            'H.execute("SELECT value FROM rows WHERE id = ?", (I,)).fetchone()[0]',
            keys='[row[0] for row in H.execute("SELECT id FROM rows ORDER BY id")]',
            derived=(
                "cursor", "H.cursor()", "",
                'D.execute("SELECT value FROM rows WHERE id = ?", (I,)).fetchone()[0]',
            ),
        ),
        Kind(
            "h5", "file", ("import h5py",),
            ('with h5py.File(P, "w") as out:', '    out["values"] = values'),
            'h5py.File(P, "r")', 'len(H["values"])', 'int(H["values"][I])',
            keys="sorted(H)",
            derived=("values", 'H["values"]', "", "int(D[I])"),
        ),
        Kind(
            "binary", "stream", (),
            (
                'with open(P, "wb") as out:',
                '    out.write(len(values).to_bytes(4, "little"))',
                "    for value in values:",
                '        out.write(value.to_bytes(4, "little"))',
            ),
            'open(P, "rb")', 'os.fstat(H.fileno()).st_size // 4 - 1',
            'int.from_bytes(H.read(4), "little")', seek="H.seek(4 + 4 * (I))",
            header='int.from_bytes(H.read(4), "little")',
            derived=("number", "H.fileno()", "",
                     'int.from_bytes(os.pread(D, 4, 4 + 4 * (I)), "little")'),
        ),
        Kind(
            "text", "lines", (),
            (
                'with open(P, "w") as out:',
                '    out.write("val\\n")',
                "    for value in values:",
                '        out.write(f"{value:03d}\\n")',
            ),
            "open(P)", "os.fstat(H.fileno()).st_size // 4 - 1", "int(H.readline())",
            seek="H.seek(4 + 4 * (I))", header="H.readline().strip()",
            derived=("readline", "H.readline", "H.seek(4 + 4 * (I))", "int(D())"),
        ),
        Kind(
            "zip", "archive", ("import zipfile",),
            (
                'with zipfile.ZipFile(P, "w") as out:',
                "    for at, value in enumerate(values):",
                '        out.writestr(zipfile.ZipInfo(f"{at}.txt"), str(value))',
            ),
            "zipfile.ZipFile(P)", "len(H.namelist())", 'int(H.read(f"{I}.txt"))',
            keys="H.namelist()",
            derived=("read", "H.read", "", 'int(D(f"{I}.txt"))'),
        ),
        Kind(
            "tar", "archive", ("import io", "import tarfile"),
            (
                'with tarfile.open(P, "w") as out:',
                "    for at, value in enumerate(values):",
                '        member = tarfile.TarInfo(f"{at}.txt")',
                "        member.size = len(str(value))",
                "        out.addfile(member, io.BytesIO(str(value).encode()))",
            ),
            "tarfile.open(P)", "len(H.getnames())", 'int(H.extractfile(f"{I}.txt").read())',
            keys="H.getnames()",
            derived=("members", "H.getmembers()", "", "int(H.extractfile(D[I]).read())"),
        ),
        Kind(
            "gzip", "stream", ("import gzip",),
            (
                'with gzip.GzipFile(P, "wb", mtime=0) as out:',
                '    out.write(len(values).to_bytes(4, "little"))',
                "    for value in values:",
                '        out.write(value.to_bytes(4, "little"))',
            ),
            'gzip.open(P, "rb")', "H.seek(0, 2) // 4 - 1", 'int.from_bytes(H.read(4), "little")',
            seek="H.seek(4 + 4 * (I))", header='int.from_bytes(H.read(4), "little")',
            derived=("read", "H.read", "H.seek(4 + 4 * (I))", 'int.from_bytes(D(4), "little")'),
        ),
        Kind(
            "mmap", "mapped", ("import mmap",),
            ('with open(P, "wb") as out:', "    out.write(bytes(values))"),
            "open_mapped(P)", "len(H)", "H[I]",
            derived=("view", "memoryview(H)", "", "D[I]"),
            helpers=(
                "def open_mapped(path):",
                '    with open(path, "rb") as file:',
                "        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)",
            ),
        ),
        Kind(
            "lmdb", "env", ("import lmdb",),
            (
                "with lmdb.open(P, map_size=1 << 20) as out, out.begin(write=True) as txn:",
                "    for at, value in enumerate(values):",
                "        txn.put(str(at).encode(), str(value).encode())",
            ),
            "lmdb.open(P, readonly=True, lock=False)", 'H.stat()["entries"]',
            "int(H.begin().get(str(I).encode()))",
            derived=("txn", "H.begin()", "", "int(D.get(str(I).encode()))"),
            folder=True,
        ),
        Kind(
            "npz", "arrays", ("import numpy as np",),
            ('np.savez(P, **{f"a{at}": value for at, value in enumerate(values)})',),
            "np.load(P)", "len(H.files)", 'int(H[f"a{I}"])', keys="list(H.files)",
        ),
        Kind(
            "memmap", "array", ("import numpy as np",),
            ("with open(P, \"wb\") as out:", "    np.save(out, np.array(values))"),
            'np.load(P, mmap_mode="r")', "len(H)", "int(H[I])", close="",
        ),
        Kind(
            "array", "array", ("import numpy as np",),
            ("with open(P, \"wb\") as out:", "    np.save(out, np.array(values))"),
            "np.load(P)", "len(H)", "int(H[I])", close="",
        ),
        Kind(
            "shelve", "shelf", ("import shelve",),
            ("with shelve.open(P) as out:",
             "    for at, value in enumerate(values):",
             "        out[str(at)] = value"),
            'shelve.open(P, flag="r")', "len(H)", "H[str(I)]", keys="sorted(H)",
        ),
        Kind(
            "npy_memmap", "array", ("import numpy as np",),
            ('np.array(values, dtype="int32").tofile(P)',),
            'np.memmap(P, dtype="int32", mode="r")', "len(H)", "int(H[I])", close="",
            derived=("view", "H[0:6]", "", "int(D[I])"),
        ),
        Kind(
            "memmap_cow", "array", ("import numpy as np",),
            ('np.array(values, dtype="int32").tofile(P)',),
            'np.memmap(P, dtype="int32", mode="c")', "len(H)", "int(H[I])", close="",
            derived=("view", "H.reshape(2, -1)", "", "int(D[(I) // 3][(I) % 3])"),
        ),
        Kind(
            "memmap_view", "array", ("import numpy as np",),
            ('np.array([0, *values], dtype="int32").tofile(P)',),
            'np.memmap(P, dtype="int32", mode="r")[1:]', "len(H)", "int(H[I])", close="",
        ),
        Kind(
            "mmap_cow", "mapped", ("import mmap",),
            ('with open(P, "wb") as out:', "    out.write(bytes(values))"),
            "open_private(P)", "len(H)", "H[I]",
            helpers=(
                "def open_private(path):",
                '    with open(path, "rb") as file:',
                "        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)",
            ),
        ),
        Kind(
            "member", "member", ("import zipfile",),
            (
                'with zipfile.ZipFile(P, "w") as out:',
                '    out.writestr(zipfile.ZipInfo("all"), bytes(values))',
            ),
            'zipfile.ZipFile(P).open("all")', "6", "H.read(1)[0]", seek="H.seek(I)",
            header="H.read(1)[0]",
        ),
        Kind(
            "descriptor", "number", (),
            ('with open(P, "wb") as out:', "    out.write(bytes(values))"),
            "os.open(P, os.O_RDONLY)", "os.fstat(H).st_size", "os.pread(H, 1, I)[0]", close="os.close(H)",
        ),
        Kind(
            "bz2", "stream", ("import bz2",),
            ('with bz2.open(P, "wb") as out:', "    out.write(bytes(values))"),
            "bz2.open(P)", "H.seek(0, 2)", "H.read(1)[0]", seek="H.seek(I)", header="H.tell()",
            derived=("tell", "H.tell", "H.seek(I)", "D() * 0 + (I) + 1"),
        ),
        Kind(
            "buffered", "stream", ("import io",),
            ('with open(P, "wb") as out:', "    out.write(bytes(values))"),
            'io.BufferedReader(io.FileIO(P))', "H.seek(0, 2)", "H.read(1)[0]", seek="H.seek(I)",
            header="H.read(1)[0]",
        ),
        Kind(
            "keys_view", "names", (), (), "{1: 2, 3: 4, 5: 6}.keys()", "len(H)", "sorted(H)[(I) % 3] + I", close="",
            files=False,
        ),
        Kind(
            "table_view", "names", (), (), "TABLE.items()", "len(H)", "len(H) + I", close="", files=False,
            helpers=("TABLE = {1: 2, 3: 4}",),
        ),
        Kind(
            "generator", "numbers", (), (), "(at for at in range(6))", "6",
            "H.gi_frame.f_lasti * 0 + I", close="", files=False,
        ),
        Kind(
            "proxy", "table", ("import types",), (), "types.MappingProxyType({0: 4, 1: 5})", "len(H)",
            "H[(I) % 2] + I", close="", files=False,
        ),
        Kind(
            "module", "tools", (), (), "math", "6", "H.gcd(6, I + 1) + I", close="", files=False,
            helpers=("import math",),
        ),
        Kind(
            "weakset", "alive", ("import weakref",), (), "weakref.WeakSet()", "len(H) + 6", "len(H) + I", close="", files=False,
        ),
        Kind(
            "thread", "worker", ("import threading",), (), "threading.Thread(target=len)", "6",
            "H.is_alive() + I", close="", files=False,
        ),
        Kind(
            "event", "stop", ("import threading",), (), "threading.Event()", "6",
            "H.is_set() + I", close="", files=False, derived=("stopped", "H.is_set", "", "D() + I"),
        ),
        Kind(
            "local", "local", ("import threading",), (), "threading.local()", "6",
            "len(vars(H)) + I", close="", files=False,
        ),
        Kind(
            "lock", "lock", ("import threading",), (), "threading.Lock()", "6",
            "I * I + 1 + H.locked()", close="", files=False,
        ),
        Kind(
            "queue", "queue", ("import queue",), (), "queue.Queue()", "6",
            "I * I + 1 + H.qsize()", close="", files=False,
        ),
        Kind(
            "executor", "pool", ("from concurrent.futures import ThreadPoolExecutor",), (),
            "ThreadPoolExecutor(2)", "6", "H.submit(pow, I, 2).result() + 1", close="H.shutdown()",
            derived=("submit", "H.submit", "", "D(pow, I, 2).result() + 1"), files=False,
        ),
    )
}  # fmt: skip
