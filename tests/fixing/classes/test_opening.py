from __future__ import annotations

import ast
import textwrap

import pytest

from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.state import Surroundings
from tests.fixing.classes.lazily import lazily

KEYS_READ_LATER = Surroundings(parent_methods=frozenset({"__len__", "keys"}))


def method(code: str, name: str) -> str:
    """Return the source of one method, as it stands."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.unparse(node)
    raise LookupError(name)


def init(code: str) -> list[str]:
    return [ast.unparse(each) for each in ast.parse(method(code, "__init__")).body[0].body]


def dataset(body: str) -> str:
    return (
        "import h5py\n\n\nclass Items:\n"
        + textwrap.indent(textwrap.dedent(body).strip(), "    ")
        + "\n"
    )


def test_an_attribute_the_parent_never_reads_is_a_cached_property():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            self.file = h5py.File(path)

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert method(code, "file") == (
        "@functools.cached_property\ndef file(self):\n    return h5py.File(self.path)"
    )
    assert init(code) == ["self.path = path"]


def test_an_attribute_that_the_parent_reads_later_is_kept_by_process():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            self.file = h5py.File(path)

        def keys(self):
            return list(self.file)
        """),
        KEYS_READ_LATER,
        file="h5py.File",
    )
    assert "self._file_by_pid[pid] = h5py.File(self.path)" in method(code, "file")
    assert "state['_file_by_pid'] = {}" in method(code, "__getstate__")


def test_the_parent_may_read_it_through_other_methods():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            self.file = h5py.File(path)

        def names(self):
            return list(self.file)

        def keys(self):
            return sorted(self.names())
        """),
        KEYS_READ_LATER,
        file="h5py.File",
    )
    assert "_file_by_pid" in code


def test_a_parameter_bound_again_before_the_opening_is_kept_as_it_was_then():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            path = path + ".h5"
            self.file = h5py.File(path)

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert init(code) == ["self.path = path", "path = path + '.h5'", "self._path = path"]
    assert "h5py.File(self._path)" in method(code, "file")


def test_names_of_comprehensions_in_the_opening_are_not_kept():
    code = lazily(
        dataset("""
        def __init__(self, paths):
            self.files = [h5py.File(path) for path in paths]

        def __getitem__(self, index):
            return self.files[index]
        """),
        files="h5py.File",
    )
    assert init(code) == ["self.paths = paths"]


def test_a_class_that_writes_underscores_keeps_what_it_needs_with_one():
    code = lazily(
        dataset("""
        def __init__(self, path, scale):
            self._scale = scale
            self._file = h5py.File(path)

        def __getitem__(self, index):
            return self._file[index]
        """),
        _file="h5py.File",
    )
    assert "self._path = path" in init(code)


def test_names_in_format_strings_are_exchanged_too():
    code = lazily(
        dataset("""
        def __init__(self, root, split):
            self.file = h5py.File(f"{root}/{split}.h5")

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert "h5py.File(f'{self.root}/{self.split}.h5')" in method(code, "file")


def test_a_call_with_effects_is_not_repeated_in_each_process():
    code = lazily(
        dataset("""
        def __init__(self, url):
            path = download(url)
            self.file = h5py.File(path)

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert init(code) == ["path = download(url)", "self.path = path"]


def test_comments_above_and_beside_the_opening_move_with_it():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            # opened once
            self.file = h5py.File(path)  # read-only

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert code.count("# opened once") == code.count("# read-only") == 1
    assert code.index("def file") < code.index("# opened once") < code.index("# read-only")


def test_comments_that_are_indented_further_move_as_they_stand():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            # with h5py.File(path) as file:
                # self.count = len(file)
            self.file = h5py.File(path)

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    above = "        # with h5py.File(path) as file:\n            # self.count = len(file)\n"
    assert code.count("# self.count") == 1
    assert above in code[code.index("def file") :]


def test_a_comment_in_the_block_above_stays_there():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            if path:
                print(path)
                # printed
            # opened
            self.file = h5py.File(path)

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert code.count("# printed") == code.count("# opened") == 1
    assert code.index("# printed") < code.index("def file") < code.index("# opened")


def test_what_init_reads_is_read_there_and_then_it_is_closed():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            self.file = h5py.File(path)
            self.count = len(self.file)
            self.done = True

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert init(code) == [
        "self.path = path",
        "with h5py.File(self.path) as file:\n    self.count = len(file)",
        "self.done = True",
    ]


def test_a_local_value_that_hangs_from_it_keeps_it_open_until_its_last_use():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            self.file = h5py.File(path)
            group = self.file["items"]
            self.first = 0
            self.count = len(group)

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert init(code)[-1] == (
        "with h5py.File(self.path) as file:\n"
        "    group = file['items']\n"
        "    self.first = 0\n"
        "    self.count = len(group)"
    )


def test_it_is_open_for_all_branches_that_need_it():
    code = lazily(
        dataset("""
        def __init__(self, path, cached):
            self.path = path
            self.file = h5py.File(path)
            if not cached:
                self.count = len(self.file)
            elif "a" in self.file:
                self.count = 0

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert init(code)[-1].startswith("with h5py.File(self.path) as file:\n    if not cached:")


def test_a_forked_process_lets_go_of_an_environment_it_inherited():
    code = lazily(
        """
        import lmdb


        class Items:
            def __init__(self, path):
                self.path = path
                self.env = lmdb.open(path, readonly=True)

            def keys(self):
                with self.env.begin() as txn:
                    return list(txn.cursor().iternext(values=False))
        """,
        KEYS_READ_LATER,
        env="lmdb.open",
    )
    assert "self._env_by_pid.clear()" in method(code, "env")


def test_a_class_that_only_heirs_use_while_being_made_keeps_it_by_process():
    around = Surroundings(started_elsewhere=frozenset({"file"}))
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            self.file = h5py.File(path)
        """),
        around,
        file="h5py.File",
    )
    assert "_file_by_pid" in code


def test_the_generated_name_does_not_collide():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self._file_by_pid = None
            self.path = path
            self.file = h5py.File(path)

        def keys(self):
            return list(self.file)
        """),
        KEYS_READ_LATER,
        file="h5py.File",
    )
    assert "self.__file_by_pid[pid]" in method(code, "file")


def test_what_is_opened_in_the_else_of_a_try_that_raises_leaves_the_try():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            try:
                import h5py as library
            except ImportError:
                raise RuntimeError(path)
            else:
                self.file = library.File(path)

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert init(code)[1] == (
        "try:\n    import h5py as library\nexcept ImportError:\n    raise RuntimeError(path)"
    )
    assert method(code, "file").endswith("return library.File(self.path)")


REFUSED = {
    "`file` is assigned more than once before it is stored": """
        def __init__(self, path):
            file = h5py.File(path)
            self.first = file["first"][0]
            file = file["items"]
            self.file = file
        """,
    "the resource is opened in the `else` clause of a `try` statement": """
        def __init__(self, path):
            try:
                size = len(path)
            except TypeError:
                self.file = None
            else:
                self.file = h5py.File(path)
        """,
    "the read position is used (data.py:9": """
        def __init__(self, path):
            self.file = open(path)

        def __getitem__(self, index):
            return self.file.readline()
        """,
    "the resource is written to (data.py:9": """
        def __init__(self, path):
            self.file = open(path)

        def __getitem__(self, index):
            self.file.write(str(index))
        """,
    "the resource is opened in a loop (data.py:6": """
        def __init__(self, paths):
            for path in paths:
                self.file = open(path)
        """,
    "the resource is opened in two places (data.py:6 and data.py:8)": """
        def __init__(self, path):
            self.file = open(path)
            self.path = path
            self.file = open(path + ".idx")
        """,
    "`file` is the resource (data.py:6) or other data (data.py:9)": """
        def __init__(self, path, whole=False):
            self.file = open(path)
            if whole:
                rows = {"x": self.file.read()}
                self.file = rows
        """,
    "which opens the resource, is local to `__init__`": """
        def __init__(self, path):
            def opened():
                return open(path)
            self.file = opened()
        """,
    "the expression that creates the stored value is unknown (data.py:6)": """
        def __init__(self, path):
            self.file, self.size = both(path)
        """,
    "the resource is opened in an `except` clause (data.py:8": """
        def __init__(self, path):
            try:
                path = check(path)
            except OSError:
                self.file = open(path)
        """,
}


@pytest.mark.parametrize("reason", REFUSED)
def test_it_is_refused_with_the_line(reason):
    with pytest.raises(Refusal) as refusal:
        lazily(dataset(REFUSED[reason]), file="open")
    assert reason in str(refusal.value)


def test_a_seek_before_each_read_makes_the_position_harmless():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            self.file = open(path, "rb")

        def __getitem__(self, index):
            self.file.seek(index)
            return self._read()

        def _read(self):
            return self.file.read(1)
        """),
        file="open",
    )
    assert "cached_property" in code


def test_a_seek_from_the_current_position_does_not():
    with pytest.raises(Refusal, match="but each process would have its own"):
        lazily(
            dataset("""
            def __init__(self, path):
                self.file = open(path, "rb")

            def __getitem__(self, index):
                self.file.seek(4, 1)
                return self.file.read(1)
            """),
            file="open",
        )


def test_what_the_constructor_looks_up_it_looks_up_in_the_local_handle():
    code = lazily(
        dataset("""
        def __init__(self, path):
            self.path = path
            self.file = h5py.File(path)
            self.images = self.file["images"]
            self.count = self.file.attrs["count"]

        def __getitem__(self, index):
            return self.images[index]
        """),
        file="h5py.File",
        images="",
    )
    assert init(code) == [
        "self.path = path",
        "with h5py.File(self.path) as file:\n    file['images']\n    self.count = file.attrs['count']",
    ]


def test_a_handle_that_is_set_again_in_its_branch_is_refused():
    with pytest.raises(Refusal, match="`images` is reassigned"):
        lazily(
            dataset("""
            def __init__(self, path, split):
                self.path, self.split = path, split
                if split == "train":
                    self.images = h5py.File(path)
                    self.images = list(self.images)
                else:
                    self.images = h5py.File(path)

            def __getitem__(self, index):
                return self.images[index]
            """),
            images="h5py.File",
        )


def test_a_blank_line_below_the_signature_stays():
    code = lazily(
        dataset("""
        def __init__(self, path):

            self.path = path
            self.file = h5py.File(path)

        def __getitem__(self, index):
            return self.file[index]
        """),
        file="h5py.File",
    )
    assert "def __init__(self, path):\n\n        self.path = path\n" in code


@pytest.mark.parametrize(
    "setting_up",
    [
        'self.container.streams.video[0].thread_type = "AUTO"',
        'stream = self.container.streams.video[0]\nstream.thread_type = "AUTO"',
        'video = self.container.streams.video\nstream = video[0]\nstream.thread_type = "AUTO"',
    ],
)
def test_what_sets_a_part_of_a_handle_up_moves_with_it(setting_up):
    moved = textwrap.indent(setting_up, "    ")
    code = lazily(
        "import av\n\n\nclass Clips:\n"
        + textwrap.indent(
            "def __init__(self, path):\n"
            "    self.path = path\n"
            "    self.container = av.open(path)\n"
            f"{moved}\n"
            "    self.frames = 1\n\n"
            "def __getitem__(self, index):\n"
            "    self.container.seek(index)\n"
            "    return next(self.container.decode(video=0))\n",
            "    ",
        ),
        container="av.open",
    )
    opened = method(code, "container")
    assert "streams.video" in opened
    assert "thread_type = 'AUTO'\n    return container" in opened
    assert init(code) == ["self.path = path", "self.frames = 1"]


CAPTURE = """
import cv2

class Frames:
    def __init__(self, path):
        self.path = path
        self.cap = cv2.VideoCapture(path)
        self.cap.set({prop}, 1)
        self.count = int(self.cap.get(cv2.CAP_PROP_FRAME_COUNT))

    def __getitem__(self, index):
        self.cap.set(cv2.CAP_PROP_POS_FRAMES, index)
        return self.cap.read()
"""


@pytest.mark.parametrize(
    ("prop", "again"),
    [
        ("cv2.CAP_PROP_CONVERT_RGB", True),
        ("CAP_PROP_BUFFERSIZE", True),
        ("cv2.CAP_PROP_POS_FRAMES", False),
        ("self.prop", False),
    ],
)
def test_a_property_of_a_capture_is_set_again_but_no_position(prop, again):
    code = lazily(CAPTURE.format(prop=prop), cap="cv2.VideoCapture")
    assert (f"set({prop}, 1)" in "\n".join(init(code))) is not again


def test_a_setting_may_be_formatted():
    code = lazily(
        """
        import sqlite3

        class Rows:
            def __init__(self, path, size):
                self.path, self.size = path, size
                self.db = sqlite3.connect(path)
                self.db.execute("PRAGMA cache_size = {}".format(size))

            def __getitem__(self, index):
                return self.db.execute("SELECT 1").fetchone()
        """,
        db="sqlite3.connect",
    )
    assert "PRAGMA" not in "\n".join(init(code))
    assert "db.execute('PRAGMA cache_size = {}'.format(self.size))" in method(code, "db")
