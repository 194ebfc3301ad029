"""A handle under a local name, from which an attribute hangs, stays local where its method still opens it."""

import dlfix

ROWS = """
import h5py
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.items = None
        self.kinds = None

    def _open(self):
        source = h5py.File(self.path, "r")
        self.items = source["items"]
        self.kinds = source["kinds"][:]

    def __len__(self):
        if self.items is None:
            self._open()
        return len(self.items)

    def __getitem__(self, index):
        if self.items is None:
            self._open()
        return self.items[str(index)][()]

def load(path):
    return DataLoader(Rows(path), num_workers=2)
"""


def test_the_state_leaves_out_no_attribute_that_is_never_set():
    fixed = dlfix.fix_text(ROWS, isolated=True)
    assert "_items_by_pid" in fixed.text
    assert "_source" not in fixed.text


OBJECTS = """
import boto3
from torch.utils.data import DataLoader, Dataset

class Objects(Dataset):
    def __init__(self, bucket, keys):
        self.bucket = bucket
        self.keys = keys
        session = boto3.session.Session()
        self.client = session.client("s3"){more}

    def __getitem__(self, index):
        return self.client.get_object(Bucket=self.bucket, Key=self.keys[index])["Body"].read()

def load(bucket, keys):
    return DataLoader(Objects(bucket, keys), num_workers=2)
"""


def test_what_one_handle_alone_is_made_from_is_made_along_with_it():
    text = dlfix.fix_text(OBJECTS.format(more=""), isolated=True).text
    assert "        session = boto3.session.Session()\n        return session.client" in text
    assert "_session" not in text


def test_what_two_handles_are_made_from_is_kept_for_both():
    more = '\n        self.queue = session.client("sqs")'
    text = dlfix.fix_text(OBJECTS.format(more=more), isolated=True).text
    assert 'self._session.client("s3")' in text
    assert 'self._session.client("sqs")' in text


HEADER = """
import h5py
import torch.utils.data

class Rows(torch.utils.data.Dataset):
    def __init__(self, path):
        self.data = h5py.File(path, "r")
        try:
            self.scale = self.data["scale"][()]
        except KeyError:
            self.scale = 1

    def __getitem__(self, index):
        return self.scale * index

def load(path{more}):
    return torch.utils.data.DataLoader(Rows(path), num_workers=2)
"""


def test_a_submodule_of_the_same_name_reads_no_attribute():
    text = dlfix.fix_text(HEADER.format(more=""), isolated=True).text
    assert "self.data" not in text
    assert "__getstate__" not in text


def test_another_object_of_which_the_attribute_is_read_may_be_it():
    source = HEADER.format(more=", old").replace(
        "    return torch", "    print(old.data)\n    return torch"
    )
    assert "def data(self)" in dlfix.fix_text(source, isolated=True).text


WORDS = """
import lmdb
from torch.utils.data import DataLoader, Dataset

class Words(Dataset):
    def __init__(self, path):
        self.path = path
        self.env = lmdb.open(path, readonly=True)
        self.txn = self.env.begin()
        self.first = self[0]

    def __len__(self):
        return int(self.txn.get(b"length"))

    def __getitem__(self, index):
        return self.txn.get(str(index).encode())
{more}
def load(path):
    return DataLoader(Words(path), num_workers=2)
"""


def test_what_only_opens_what_is_kept_by_process_has_no_place_of_its_own():
    text = dlfix.fix_text(WORDS.format(more=""), isolated=True).text
    assert (
        "            # no process can open its own while it holds its parent's\n"
        "            self._txn_by_pid.clear()\n"
        "            env = lmdb.open(self.path, readonly=True)\n"
        "            self._txn_by_pid[pid] = env.begin()\n"
    ) in text
    assert "env_by_pid" not in text
    assert "close" not in text


def test_what_other_methods_read_is_kept_by_process_as_well():
    more = '\n    def size(self):\n        return self.env.info()["map_size"]\n'
    text = dlfix.fix_text(WORDS.format(more=more), isolated=True).text
    assert "self._env_by_pid[pid] = lmdb.open" in text
    assert "self._txn_by_pid[pid] = self.env.begin()" in text
    assert text.count("# no process can open") == 1


PARTS = """
import h5py
from torch.utils.data import DataLoader, Dataset

class Parts(Dataset):
    def __init__(self, paths):
        self.paths = paths
        # Open all parts on initialization
        self.files = [h5py.File(path, "r") for path in self.paths]
        self.ends = [0]
        for file in self.files:
            {count}

    def __getitem__(self, index):
        return self.files[index]["x"][()]

def load(paths):
    return DataLoader(Parts(paths), num_workers=2)
"""
IN_TURN = """        for path in self.paths:
            with h5py.File(path, "r") as file:
                self.ends.append(self.ends[-1] + len(file))
"""


def test_a_loop_over_a_list_of_files_opens_each_in_its_turn():
    count = "self.ends.append(self.ends[-1] + len(file))"
    assert IN_TURN in dlfix.fix_text(PARTS.format(count=count), isolated=True).text


def test_a_loop_that_does_more_than_compute_has_all_files_open():
    text = dlfix.fix_text(PARTS.format(count="print(len(file))"), isolated=True).text
    assert "        for opened in files:\n            opened.close()\n" in text


def test_a_comment_on_when_the_constructor_opens_stays_there():
    text = dlfix.fix_text(PARTS.format(count="self.ends += len(file),"), isolated=True).text
    above, _, below = text.partition("cached_property")
    assert "# Open all parts" in above
    assert "# Open all parts" not in below


INDEX = """
import h5py
import sqlite3
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, index, path):
        self.index = sqlite3.connect(index)
        self.file = h5py.File(path, "r")
        self.keys = [key for key, in self.index.execute("SELECT key FROM rows")]
        self.width = len(self.file)

    def __getitem__(self, i):
        return self.file[self.keys[i]][{more}]

def load(index, path):
    return DataLoader(Rows(index, path), num_workers=2)
"""


def test_the_path_of_what_only_the_constructor_opens_is_not_kept():
    text = dlfix.fix_text(INDEX.format(more="()"), isolated=True).text
    assert "with contextlib.closing(sqlite3.connect(index)) as index_file:" in text
    assert "index_path" not in text


def test_the_path_of_what_workers_open_is_kept():
    more = 'self.index.execute("SELECT 1").fetchone()'
    text = dlfix.fix_text(INDEX.format(more=more), isolated=True).text
    assert "return sqlite3.connect(self._index_path)" in text
