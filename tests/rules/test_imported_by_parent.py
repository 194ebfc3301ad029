"""A module that only the parent imports adds nothing to the tables of workers (DLF303)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.fixing.outcomes import Diagnosis
from dlfix.fixing.plans import Fix, Refused
from dlfix.session import Session
from tests.reach.marked import check, program

REGISTRY = """\
--- registry.py
OPS = {}
def register(name):
    def wrap(f):
        OPS[name] = f
        return f
    return wrap
def get(name): return OPS[name]
--- plugins/__init__.py
--- plugins/blur.py
from registry import register
@register("blur")
def blur(x): return x
class Blur:
    def __call__(self, x): return x
"""
ROWS = """\
--- rows.py
from torch.utils.data import Dataset
import registry
class Rows(Dataset):
    def __init__(self, f=None): self.f = f
    def __getitem__(self, i): return registry.get("blur")(i)
"""
MAIN = """\
--- main.py
import importlib, pkgutil
from torch.utils.data import DataLoader
from rows import Rows
"""


@pytest.mark.parametrize(
    "text",
    [
        program(
            "the function that makes the loader imports a plugin",
            REGISTRY + ROWS + MAIN + "def main():\n    import plugins.blur  # !DLF303\n"
            "    DataLoader(Rows(), num_workers=2)\n"
            "if __name__ == '__main__':\n    main()\n",
        ),
        program(
            "the main guard imports a plugin, through another module",
            REGISTRY + ROWS + "--- extras.py\nfrom plugins import blur\n" + MAIN + "def main():\n"
            "    DataLoader(Rows(), num_workers=2)\n"
            "if __name__ == '__main__':\n    import extras  # !DLF303\n    main()\n",
        ),
        program(
            "a function that main calls imports a plugin by its name",
            REGISTRY + ROWS + MAIN + "def load(name):\n"
            "    importlib.import_module(f'plugins.{name}')  # !DLF303\n"
            "def main():\n    load('blur')\n    DataLoader(Rows(), num_workers=2)\n"
            "if __name__ == '__main__':\n    main()\n",
        ),
        program(
            "a plugin that the script imports, too, is there in workers",
            REGISTRY + ROWS + MAIN + "import plugins.blur\ndef main():\n    import plugins.blur\n"
            "    DataLoader(Rows(), num_workers=2)\n"
            "if __name__ == '__main__':\n    main()\n",
        ),
        program(
            "so is one that a function which an import runs imports",
            REGISTRY + ROWS + MAIN + "def load():\n    import plugins.blur\nload()\ndef main():\n"
            "    load()\n    DataLoader(Rows(), num_workers=2)\n"
            "if __name__ == '__main__':\n    main()\n",
        ),
        program(
            "so is one that code in workers imports",
            REGISTRY
            + ROWS.replace("(self, i): return", "(self, i):\n        import plugins.blur\n        return")
            + MAIN
            + "def main():\n    import plugins.blur\n    DataLoader(Rows(), num_workers=2)\n"
            "if __name__ == '__main__':\n    main()\n",
        ),
        program(
            "so is one of which an object is sent",
            REGISTRY + ROWS + MAIN + "def main():\n    from plugins.blur import Blur\n"
            "    DataLoader(Rows(Blur()), num_workers=2)\n"
            "if __name__ == '__main__':\n    main()\n",
        ),
        program(
            "so may be any, where workers import what they look for",
            REGISTRY
            + ROWS.replace("(self, i): return", "(self, i):\n        load(self.f)\n        return")
            + "def load(name):\n    import importlib\n    importlib.import_module(name)\n"
            + MAIN
            + "def main():\n    import plugins.blur\n    DataLoader(Rows(), num_workers=2)\n"
            "if __name__ == '__main__':\n    main()\n",
        ),
        program(
            "a table that has what workers ask for lacks nothing",
            REGISTRY + ROWS + "@registry.register('blur')\ndef own(x): return x\n" + MAIN
            + "def main():\n    import plugins.blur\n    DataLoader(Rows(), num_workers=2)\n"
            "if __name__ == '__main__':\n    main()\n",
        ),
        program(
            "a plugin that no script of the loader imports is none of it",
            REGISTRY + ROWS + "--- other.py\ndef main():\n    import plugins.blur\n"
            "if __name__ == '__main__':\n    main()\n" + MAIN
            + "def main():\n    DataLoader(Rows(), num_workers=2)\n"
            "if __name__ == '__main__':\n    main()\n",
        ),
    ],
)  # fmt: skip
def test_what_only_the_parent_imports(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize(
    ("imported", "line"),
    [
        ("import blur", "import blur  # noqa: F401"),
        ("load_plugins(['blur'])", "load_plugins(['blur'])"),
    ],
)
def test_workers_import_it_too(tmp_path: Path, imported: str, line: str) -> None:
    (found,) = _diagnoses(tmp_path, imported)
    assert found.finding.message.endswith("`blur`, which sets it, is imported only in the parent")
    assert isinstance(found.outcome, Fix)
    assert found.outcome.message == "Import `blur` in each worker with `_init_worker`"
    (edit,) = found.outcome.edits
    assert edit.plan.body == (line,)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("f'plugins.{name}'", True),
        ("'plugins.' + name", True),
        ("f'{__name__}.{name}'", False),
        ("f'others.{name}'", False),
        ("name", False),
    ],
)
def test_a_package_of_which_any_module_may_be_imported(
    tmp_path: Path, name: str, found: bool
) -> None:
    mark = "  # !DLF303" if found else ""
    main = f"def main(name):\n    importlib.import_module({name}){mark}\n"
    main += "    DataLoader(Rows(), num_workers=2)\nif __name__ == '__main__':\n    main(input())\n"
    check(tmp_path, REGISTRY + ROWS + MAIN + main)


def test_the_refusal_says_where_an_import_under_a_condition_belongs(tmp_path: Path) -> None:
    (found,) = _diagnoses(tmp_path, "if len(OPTIONS) > 2: load_plugins(['blur'])")
    assert isinstance(found.outcome, Refused)
    assert "top level of a module that workers import, too (main.py:5)" in found.outcome.reason


def _diagnoses(tmp_path: Path, imported: str) -> list[Diagnosis]:
    for name, text in (
        ("ops.py", "OPS = {}\ndef read(i): return OPS['blur'](i)\n"),
        ("blur.py", "from ops import OPS\nOPS['blur'] = print\n"),
        (
            "main.py",
            "import importlib\nfrom torch.utils.data import DataLoader\nfrom ops import read\nOPTIONS = [1]\n"
            "def load_plugins(names): [importlib.import_module(each) for each in names]\n"
            f"def main():\n    {imported}\n"
            "    DataLoader([1], collate_fn=read, num_workers=2)\nif __name__ == '__main__': main()\n",
        ),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Session.open([tmp_path], Settings()).diagnoses()


ENCODE = """\
--- enc.py
import functools
@functools.singledispatch
def encode(x): return -1
@encode.register
def encode_text(x: str): return 5
--- extra.py
from enc import encode
@encode.register({type})
def encode_other(x): return x + 1
--- main.py
from torch.utils.data import DataLoader, Dataset
from enc import encode
class Rows(Dataset):
    def __getitem__(self, i): return encode(i)
def add(x): return x + 1
"""


@pytest.mark.parametrize(
    ("type_name", "main"),
    [
        ("int", "def main():\n    import extra  # !DLF303\n"),
        ("int", "def main():\n    encode.register(int, add)  # !DLF303\n"),
        ("int", "encode.register(int, add)\ndef main():\n    encode.register(int, add)\n"),
        ("int", "import extra\ndef main():\n    import extra\n"),
        ("str", "def main():\n    import extra\n"),
    ],
)
def test_what_is_registered_for_a_type(type_name: str, main: str, tmp_path: Path) -> None:
    """In `main()`, by a call or by an import; a worker asks for any type."""
    main = f"{main}    DataLoader(Rows(), num_workers=2)\nif __name__ == '__main__': main()\n"
    check(tmp_path, ENCODE.format(type=type_name) + main)


_BY_NAME = """\
--- registry.py
class Registry:
    def __init__(self): self.items = {{}}
    def register(self):
        def wrap(f):
            self.items[f.__name__] = f
            return f
        return wrap
    def get(self, name): return self.items[name]
OPS = Registry()
@OPS.register()
def same(x): return x
--- plugins.py
from registry import OPS
@OPS.register()
def blur(x): return x
--- rows.py
from torch.utils.data import Dataset
from registry import OPS
class Rows(Dataset):
    def __init__(self, names): self.names = names
    def __getitem__(self, i):
        {read}
        return OPS.get(self.names[i])(i)
--- main.py
import importlib, json
from torch.utils.data import DataLoader
from rows import Rows
CONFIG = '{{"plugins": ["{name}"], "names": ["blur"]}}'
{above}
def main():
    config = json.loads(CONFIG)
    for name in config["plugins"]:
        {load}{mark}
    for batch in DataLoader(Rows(config["names"]), num_workers=2):
        print(batch)
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("name", "load", "above", "read", "found"),
    [
        ("plugins", "importlib.import_module(name)", "", "pass", True),
        ("other_plugins", "importlib.import_module(name)", "", "pass", False),
        ("plugins", "print(name)", "", "pass", False),
        ("plugins", "importlib.import_module(name)", "import plugins", "pass", False),
        ("plugins", "importlib.import_module(name)", "", "import plugins", False),
    ],
)
def test_plugins_whose_names_a_configuration_has(
    name: str, load: str, above: str, read: str, found: bool, tmp_path: Path
) -> None:
    mark = "  # !DLF303" if found else ""
    check(tmp_path, _BY_NAME.format(name=name, load=load, above=above, read=read, mark=mark))
