"""What stays at import does not need what moved under the guard; loaders keep what they may need."""

import textwrap

import pytest

from tests.fixing.proof.pairs import worse

HERE = "loader = DataLoader([], num_workers=2)\nprint(list(loader))\n"


def guarded(stays, moves, *, above="", **others):
    """Move statements under a guard below what stays, where they stood above it."""
    inside = "\n".join("    " + line for line in (moves + HERE).splitlines())
    before = f"{above}{moves}{stays}{HERE}"
    after = f'{above}{stays}if __name__ == "__main__":\n{inside}\n'
    return worse(before, after, **others)


def test_statements_move_under_a_guard():
    assert guarded("def double(x):\n    return x * 2\n", "size = 3\n") == []


def test_a_main_function_may_read_what_moved():
    assert guarded("def main():\n    return size\n", "size = 3\n") == []


def test_a_path_that_is_joined_is_not_the_path_of_imports():
    assert guarded("import json\n", "out = os.path.join('a', 'b')\n", above="import os\n") == []
    assert guarded("import json\n", "sys.path.insert(0, 'lib')\n", above="import sys\n")


NEEDED = {
    "by a statement": "BATCH = size * 2\n",
    "by a class body": "class Options:\n    size = size\n",
    "by a default": "def load(n=size):\n    return n\n",
    "by a decorator": "@functools.lru_cache(size)\ndef load(n):\n    return n\n",
    "by a function that is called": "def double():\n    return size * 2\n\nBATCH = double()\n",
    "by globals": "BATCH = globals()['size']\n",
    "by globals in a condition": "if globals().get('size'):\n    BATCH = 1\n",
    "by a base class": "class Options(size):\n    pass\n",
    "by an object": "class C:\n    def __init__(self):\n        self.n = size\n\nmade = C()\n",
    "by a method": "class C:\n    def go(self):\n        return size\n\nN = C().go()\n",
    "by vars": "BATCH = vars()['size']\n",
    "by two functions": "def one():\n    return size\n\ndef two():\n    return one()\n\nBATCH = two()\n",
}


@pytest.mark.parametrize("stays", NEEDED.values(), ids=NEEDED)
def test_a_name_does_not_move_that_is_needed_at_import(stays):
    assert any("`size`" in reason for reason in guarded(stays, "size = 3\n"))


def test_a_name_does_not_move_that_another_module_imports():
    assert guarded("", "size = 3\n", other="from main import size\n\nprint(size)\n")
    assert guarded("", "size = 3\n", other="import main\n\nprint(main.size)\n")


CONFIGURED = {
    "an object": ("hp.configure(3)\n", "BATCH = hp.size\n", "hp = type('Hp', (), {})()\n"),
    "a module of the project": (
        "settings.init()\n",
        "BATCH = settings.size\n",
        "import settings\n",
    ),
    "an attribute": ("hp.size = 3\n", "BATCH = hp.size\n", "hp = type('Hp', (), {})()\n"),
    "an item": ("hp['size'] = 3\n", "BATCH = hp['size']\n", "hp = {}\n"),
    "a global by a function": (
        "init(3)\n",
        "BATCH = size\n",
        "size = 1\n\ndef init(n):\n    global size\n    size = n\n\n",
    ),
    "a registry": (
        "register('x')\n",
        "NAMES = tuple(known)\n",
        "known = []\n\ndef register(name):\n    known.append(name)\n\n",
    ),
    "what a function reads": (
        "hp.configure(3)\n",
        "def double():\n    return hp.size * 2\n\nBATCH = double()\n",
        "hp = type('Hp', (), {})()\n",
    ),
}


@pytest.mark.parametrize(("moves", "stays", "above"), CONFIGURED.values(), ids=CONFIGURED)
def test_a_call_does_not_move_below_what_reads_its_effect(moves, stays, above):
    settings = "size = 1\n\ndef init():\n    global size\n    size = 3\n"
    reasons = guarded(stays, moves, above=above, settings=settings)
    assert any("on import" in reason for reason in reasons)


STATE = {
    "a seed": ("random.seed(0)\n", "X = random.random()\n"),
    "a draw": ("A = random.random()\n", "B = random.random()\n"),
    "a default": ("np.set_default_dtype(1)\n", "W = np.zeros(3)\n"),
}


@pytest.mark.parametrize(("moves", "stays"), STATE.values(), ids=STATE)
def test_the_state_of_a_library_is_set_before_it_is_used(moves, stays):
    assert any("on import" in reason for reason in guarded(stays, moves))


PREPARED = {
    "the environment": "os.environ['CUDA_VISIBLE_DEVICES'] = ''\n",
    "the path": "import sys\nsys.path.insert(0, 'lib')\n",
    "the directory": "os.chdir('/data')\n",
}


@pytest.mark.parametrize("moves", PREPARED.values(), ids=PREPARED)
def test_what_prepares_an_import_stays_above_it(moves):
    assert any("sets up" in reason for reason in guarded("import torch\n", moves))


def loader(dataset, options, *, above=""):
    before = f"{above}loader = DataLoader({dataset}, {options})\n"
    return worse(before, f"{above}loader = DataLoader({dataset})\n")


STREAM = "class Stream(IterableDataset):\n    pass\n\nclass Rows(Dataset):\n    pass\n\n"
SURELY = {
    "an iterable dataset": ("Stream()", ""),
    "a name for one": ("data", "data = Stream()\n"),
    "a function that makes one": ("make()", "def make():\n    return Stream()\n\n"),
}
MAYBE = {
    "one branch of a factory": (
        "make(1)",
        "def make(n):\n    if n:\n        return Stream()\n    return Rows()\n\n",
    ),
    "one of two values": ("data", "data = Stream()\nif data:\n    data = Rows()\n"),
    "an expression with a condition": ("Stream() if STREAM else Rows()", ""),
    "something unknown": ("load_dataset('a')", ""),
    "no stream at all": ("Rows()", ""),
}


@pytest.mark.parametrize(("dataset", "above"), SURELY.values(), ids=SURELY)
def test_an_order_is_not_needed_by(dataset, above):
    assert loader(dataset, "shuffle=True", above=STREAM + above) == []


@pytest.mark.parametrize("options", ["shuffle=True", "sampler=order"])
@pytest.mark.parametrize(("dataset", "above"), MAYBE.values(), ids=MAYBE)
def test_an_order_is_kept_for(dataset, above, options):
    assert any(
        "but the dataset may require it" in r
        for r in loader(dataset, options, above=STREAM + above)
    )


READER = """
class Rows(Dataset):
    scale = 1

    def __getitem__(self, index):
        return {0}

"""
STATE = {
    "through globals": ("globals()['SIZE'] = 3\n", "SIZE"),
    "in a function, through globals": ("init()\n", "SIZE"),
    "on the class": ("Rows.scale = 3\n", "self.scale"),
}


@pytest.mark.parametrize(("moves", "read"), STATE.values(), ids=STATE)
def test_what_workers_read_is_not_set_under_the_guard_alone(moves, read):
    above = "SIZE = 1\n\ndef init():\n    globals()['SIZE'] = 3\n\n" + READER.format(read)
    assert any("in a worker" in reason for reason in guarded("", moves, above=above))


def test_what_no_worker_reads_may_be_set_under_the_guard():
    above = "SIZE = 1\n\n" + READER.format("index")
    assert guarded("", "globals()['SIZE'] = 3\nRows.scale = 3\n", above=above) == []


BELOW = {
    "the environment": ("os.environ['N'] = '7'\n", "print(os.environ['N'])\n"),
    "a name that is bound again": ("size = 7\n", "print(size)\n"),
}


@pytest.mark.parametrize(("stays", "moves"), BELOW.values(), ids=BELOW)
def test_what_a_statement_below_changes_is_read_before_it(stays, moves):
    reasons = guarded(stays, moves, above="size = 3\n")
    assert any("after a statement that changes it" in reason for reason in reasons)


def test_what_a_statement_below_binds_first_does_not_matter():
    assert guarded("other = 7\n", "print(size)\n", above="size = 3\n") == []


CACHED = '@functools.lru_cache\ndef scale():\n    return int(os.environ.get("SCALE", 1))\n'
BY_HAND = (
    "_scale = None\n\n\ndef scale():\n    global _scale\n    if _scale is None:\n"
    '        _scale = int(os.environ.get("SCALE", 1))\n    return _scale\n'
)
OF_A_NAME = "SIZES = [1]\n\n\n@functools.cache\ndef scale():\n    return sum(SIZES)\n"


def out_of_the_guard(above, sets, made_a_method=""):
    """Move a class whose workers call `scale` out of the guard."""
    rows = (
        "class Rows(Dataset):\n    def __getitem__(self, index):\n        return index * scale()\n"
    )
    made = "loader = DataLoader(Rows(), num_workers=2)\nprint(list(loader))\n"
    before = f"{above}\n\nif __name__ == '__main__':\n" + textwrap.indent(
        sets + rows + made, "    "
    )
    after = f"{above}\n\n{rows}{made_a_method}\n\nif __name__ == '__main__':\n" + textwrap.indent(
        sets + made, "    "
    )
    return worse(before, after)


def test_a_class_whose_text_changes_does_not_leave_the_guard_either():
    sets = 'scale()\nos.environ["SCALE"] = "7"\n'
    method = "\n    def scaled(self, value):\n        return value\n"
    assert any("first result" in r for r in out_of_the_guard(CACHED, sets, method))


@pytest.mark.parametrize(
    ("reads", "moves", "refused"),
    [
        ("scale()", 'os.environ["SCALE"] = "5"\nscale()\nos.environ["SCALE"] = "7"\n', True),
        ("scale()", 'scale()\nif True:\n    os.environ["SCALE"] = "7"\n', True),
        ("scale()", 'os.environ["SCALE"] = "5"\nscale()\nos.environ["OTHER"] = index\n', True),
        ("scale()", 'os.environ["SCALE"] = "5"\nscale()\n', False),
        ("1", 'scale()\nos.environ["SCALE"] = "7"\n', False),
        ("scale()", 'for name in "57":\n    scale()\n    os.environ["SCALE"] = name\n', True),
        ("scale()", 'for name in "57":\n    os.environ["SCALE"] = name\nscale()\n', False),
        (
            "scale()",
            'with open("log") as log:\n    os.environ["SCALE"] = "7"\n    scale()\n',
            False,
        ),
    ],
)
def test_what_workers_call_keeps_no_result_from_before_a_change(reads, moves, refused):
    rows = f"class Rows(Dataset):\n    def __getitem__(self, index):\n        return {reads}\n"
    reasons = guarded(rows, moves, above=CACHED)
    assert any("is changed after that" in each for each in reasons) is refused


IN_MAIN = {
    "changed after": ('    scale()\n    os.environ["SCALE"] = "7"\n', "main()\n", True),
    "changed after, deeper": ("    if True:\n        scale()\n    inner()\n", "main()\n", True),
    "changed before": ('    os.environ["SCALE"] = "7"\n    scale()\n', "main()\n", False),
    "changed before, deeper": ("    inner()\n    scale()\n", "main()\n", False),
}


@pytest.mark.parametrize(("body", "moves", "refused"), IN_MAIN.values(), ids=IN_MAIN)
def test_the_order_in_a_function_that_is_called_for_itself_counts(body, moves, refused):
    rows = "class Rows(Dataset):\n    def __getitem__(self, index):\n        return scale()\n"
    inner = '\n\ndef inner():\n    os.environ["SCALE"] = "7"\n\n\n'
    reasons = guarded(rows, moves, above=CACHED + inner + "def main():\n" + body)
    assert any("is changed after that" in each for each in reasons) is refused


@pytest.mark.parametrize(
    ("above", "sets"),
    [
        (CACHED, 'os.environ["SCALE"] = "5"\nscale()\nos.environ["SCALE"] = "7"\n'),
        (BY_HAND, 'scale()\nos.environ["SCALE"] = "7"\n'),
        (OF_A_NAME, "scale()\nSIZES.append(4)\n"),
        (CACHED + "def init():\n    return scale()\n", 'init()\nos.environ["SCALE"] = "7"\n'),
    ],
)
def test_a_class_does_not_leave_the_guard_whose_workers_compute_a_kept_result_again(above, sets):
    assert any("keeps its first result" in reason for reason in out_of_the_guard(above, sets))


@pytest.mark.parametrize(
    ("above", "sets"),
    [
        (CACHED, "scale()\n"),
        (CACHED, 'os.environ["SCALE"] = "7"\n'),
        (OF_A_NAME, 'scale()\nos.environ["SCALE"] = "7"\n'),
    ],
)
def test_a_class_leaves_the_guard_whose_workers_compute_the_same_result(above, sets):
    assert out_of_the_guard(above, sets) == []


LEAVING = {
    "a class that reads it": ("class Rows(Dataset):\n        scale = STATE['scale']", True),
    "a default that reads it": ("def rows(scale=STATE['scale']):\n        return scale", True),
    "a class whose methods read it": (
        "class Rows(Dataset):\n        def __len__(self):\n            return STATE['scale']",
        False,
    ),
    "a class that reads something else": ("class Rows(Dataset):\n        scale = OTHER", False),
}


@pytest.mark.parametrize(("defined", "refused"), LEAVING.values(), ids=LEAVING)
def test_a_definition_does_not_leave_the_guard_before_what_it_reads(defined, refused):
    above = "OTHER = 1\nSTATE = {'scale': 1}\n"
    guard = 'if __name__ == "__main__":\n'
    before = f"{above}{guard}    STATE['scale'] = 6\n\n    {defined}\n\n    print(OTHER)\n"
    moved = textwrap.dedent("    " + defined)
    after = f"{above}\n\n{moved}\n\n\n{guard}    STATE['scale'] = 6\n\n    print(OTHER)\n"
    reasons = worse(before, after)
    assert refused == any("is changed in the main module before" in each for each in reasons)


SET_FIRST = {
    "the environment": ("logger = Logger()\n", "os.environ['HTTP_PROXY'] = 'p'\n", "import os\n"),
    "a method of it": ("logger.log()\n", "os.environ.update(PROXY='p')\n", "import os\n"),
    "the library of a call": (
        "photo = cv2.imread('a')\n",
        "cv2.setUseOptimized(False)\n",
        "import cv2\n",
    ),
    "by a function": (
        "go()\n",
        "ImageFile.STRICT = False\n",
        "from PIL import Image, ImageFile\n\ndef go():\n    Image.open('a').load()\n\n",
    ),
}
INDEPENDENT = {
    "arguments": (
        "parser = argparse.ArgumentParser()\nargs = parser.parse_args()\n",
        "os.environ['HTTP_PROXY'] = 'p'\n",
        "import argparse\nimport os\n",
    ),
    "numbers": ("n = len(np.ones(3).tolist())\n", "cv2.useOptimized(0)\n", "import cv2\nimport numpy as np\n"),
    "hashes": ("logger = Logger()\n", "os.environ['PYTHONHASHSEED'] = '0'\n", "import os\n"),
    "threads": ("logger = Logger()\n", "cv2.setNumThreads(0)\n", "import cv2\n"),
}  # fmt: skip


@pytest.mark.parametrize(("moves", "stays", "above"), SET_FIRST.values(), ids=SET_FIRST)
def test_a_setting_is_not_made_before_what_ran_without_it(moves, stays, above):
    above += "from somewhere import Logger\n"
    reasons = guarded(stays, moves, above=above)
    assert any("ran before that" in reason for reason in reasons)


@pytest.mark.parametrize(("moves", "stays", "above"), INDEPENDENT.values(), ids=INDEPENDENT)
def test_a_setting_may_be_made_before_what_does_not_go_by_it(moves, stays, above):
    assert guarded(stays, moves, above=above + "from somewhere import Logger\n") == []


def test_the_seed_of_hashes_is_read_by_no_import():
    moves = "import os\nos.environ['PYTHONHASHSEED'] = '0'\n"
    assert guarded("import torch\n", moves) == []


GOES_BY = {
    "the environment": (
        "os.environ['HF_HOME'] = 'p'\n",
        "TOKENS = Tokens.load()\n",
        "import os\nfrom somewhere import Tokens\n",
    ),
    "the folder": ("os.chdir('/data')\n", "ROWS = open('a').read()\n", "import os\n"),
    "the library": ("cv2.setUseOptimized(False)\n", "MASK = cv2.imread('a')\n", "import cv2\n"),
}


@pytest.mark.parametrize(("moves", "stays", "above"), GOES_BY.values(), ids=GOES_BY)
def test_what_stays_does_not_go_by_a_setting_that_moved(moves, stays, above):
    assert any("may depend on" in reason for reason in guarded(stays, moves, above=above))
    assert guarded("N = len('a') * 2\n", moves, above=above) == []


@pytest.mark.parametrize(
    ("made", "is_worse"),
    [
        ("names = list(set(text))\n", True),
        ("names = sorted(set(text))\n", False),
        ("names = {x: i for i, x in enumerate({*text})}\n", True),
        ("parts = set(text)\nnames = [*map(str, parts)]\n", True),
        ("parts = list({'a', 'b'})\nnames = dict(a=parts)\n", True),
        ("names = list({1, 2})\n", False),
        ("names = [x for x in text if x in set(text)]\n", False),
        ("names = len(list(set(text)))\n", False),
    ],
)
def test_what_a_worker_reads_is_not_in_the_order_of_a_set(made, is_worse):
    stays = f"text = 'abc'\n{made}def load():\n    return names\n"
    assert bool(guarded(stays, "start()\n")) == is_worse
    unread = stays.replace("return names", "return text")
    assert guarded(unread, "start()\n") == []


def test_a_path_of_the_current_folder_is_not_made_before_that_changes():
    assert guarded("ROOT = os.path.abspath('a')\n", "os.chdir('b')\n", above="import os\n")
    assert guarded("ROOT = os.path.join('a')\n", "os.chdir('b')\n", above="import os\n") == []
