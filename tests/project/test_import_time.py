"""Which branches are the main process's alone."""

from __future__ import annotations

import ast

import pytest

from dlfix.project.import_time import ImportTime, in_main_only

GUARDED = (
    'if __name__ == "__main__": work()',
    'if "__main__" == __name__: work()',
    'if __name__ == "__main__" and train: work()',
    'if __name__ != "__main__": pass\nelse: work()',
    'if not __name__ != "__main__": work()',
    'if train:\n    if __name__ == "__main__": work()',
    'if __name__ != "__mp_main__": work()',
    'if __name__ == "__main2__": work()',
    'if multiprocessing.current_process().name == "MainProcess": work()',
    'if not __name__.startswith("__mp_"): work()',
    'WORKER = __name__ == "__mp_main__"\nif not WORKER: work()',
)
OPEN = (
    "if train: work()",
    'if __name__ == "__main__": pass\nelse: work()',
    'if __name__ == "__main__" or train: work()',
    'if __name__ != "__main__" and train: pass\nelse: work()',
    'if __name__ == "train": work()',
    'if __name__ == "__main__": pass\nwork()',
    'if __name__ == "__mp_main__": work()',
    'if __name__ == "data": work()',
    'if process.name == "MainProcess": pass\nelse: work()',
    "if parent is None: work()",
    "if mp.parent_process() is None: work()",  # it is None there too, until the script is read
    'if __name__.startswith("__m"): work()',
    'WORKER = __name__ == "__mp_main__"\nWORKER = True\nif not WORKER: work()',
)


def is_guarded(source: str) -> bool:
    def path(node: ast.AST) -> list[ast.AST] | None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return [node]
        found = (path(child) for child in ast.iter_child_nodes(node))
        return next(([*below, node] for below in found if below), None)

    return in_main_only(path(ast.parse(source)) or [])


@pytest.mark.parametrize("source", GUARDED)
def test_only_the_main_process_comes_here(source: str) -> None:
    assert is_guarded(source)


@pytest.mark.parametrize("source", OPEN)
def test_a_worker_may_come_here(source: str) -> None:
    assert not is_guarded(source)


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("os.remove(path)", set()),
        ("rows.remove(path)", {"rows"}),
        ("sys.path.append(path)", {"sys.path"}),
        ("ROWS.append(path)", {"ROWS"}),
    ],
)
def test_a_function_of_a_module_changes_no_object_of_its_name(
    statement: str, changed: set[str]
) -> None:
    tree = ast.parse(f"import os\nimport sys\nfrom table import ROWS\nkept = {statement}")
    assert ImportTime(tree)._effects_of(tree.body[-1:]).mutates == changed


READS = {
    "for i in rows:\n    x = i\n    print(x)": {"rows", "print"},
    "for i in rows:\n    print(i)\nelse:\n    show(i)": {"rows", "print", "show", "i"},
    "for i in rows:\n    total = total + i": {"rows", "total"},
    "if rows:\n    if go: x = 1\n    print(x)": {"rows", "go", "print", "x"},
    "while rows:\n    x: int = 1\n    print(x)": {"rows", "print"},
    "with rows:\n    x.a = 1\n    print(x)": {"rows", "print", "x"},
}


@pytest.mark.parametrize(("source", "reads"), READS.items(), ids=READS)
def test_what_a_block_binds_before_it_reads_it_is_read_from_nowhere_else(
    source: str, reads: set[str]
) -> None:
    (unit,) = ImportTime(ast.parse(source)).units
    assert {name for name in unit.effects.reads if name.isidentifier()} - {"int"} == reads
