"""What a check costs, counted and not timed, on a tree that stays the same."""

import ast
from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.project import importing
from dlfix.project import module as modules
from dlfix.reach import copied_entries
from dlfix.reach.boundaries import Boundaries
from dlfix.reach.calls import _MOST_WORK, Calls
from dlfix.reach.entry_points import Entries
from dlfix.reach.items_taken import ItemsTaken
from dlfix.reach.process_roles import RoleReader
from dlfix.reach.values import Arguments, Frame, Function
from dlfix.reach.worker_code import WorkerCode
from dlfix.rules.reading.setting_writes import stores
from dlfix.session import Session

LOADER = """\
from torch.utils.data import DataLoader

from pkg.data import Rows


def main():
    for batch in DataLoader(Rows(lambda row: row + 1), num_workers=2):
        print(batch)
"""
DATA = """\
from torch.utils.data import Dataset

from pkg.maths import shifted


class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.transform(shifted(index))
"""
MATHS = "def shifted(value):\n    return value + 1\n"
# It names these, but calls, sets and derives from none of them.
NAMING = """\
\"\"\"Models of Rows: see shifted of maths, and transform.\"\"\"


class Model:
    def __init__(self, transform):
        self.transform = transform

    def forward(self, value):
        return self.transform(value)
"""
OTHER = "class Model{0}:\n    def forward(self, value):\n        return [value] * {0}\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A loader, its dataset, a function that it calls, and 30 files that have nothing to do with them."""
    (tmp_path / "pyproject.toml").write_text("")
    package = tmp_path / "pkg"
    package.mkdir()
    others = {f"other{number}": OTHER.format(number) for number in range(30)}
    texts = {
        "__init__": "",
        "train": LOADER,
        "data": DATA,
        "maths": MATHS,
        "naming": NAMING,
        **others,
    }
    for name, text in texts.items():
        (package / f"{name}.py").write_text(text)
    return tmp_path


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were parsed."""
    found = []
    parse = modules._parse

    def noted(source: object) -> object:
        found.append(source.path.stem)  # type: ignore[attr-defined]
        return parse(source)  # type: ignore[arg-type]

    monkeypatch.setattr(modules, "_parse", noted)
    monkeypatch.setattr("dlfix.session.SYNTAX_BUDGET", 0)  # which is spent on small files alone
    return found


def test_only_what_leads_to_a_worker_is_parsed_each_once(tree: Path, parsed: list[str]) -> None:
    session = Session.open([tree], Settings())
    assert [each.finding.code for each in session.diagnoses()] == ["DLF101"]
    assert sorted(parsed[:3]) == ["data", "maths", "train"]
    # The fix is carried out and proved in texts of its own. What reads an attribute of the name by which the lambda
    # goes may look at it, and is parsed for the proof alone.
    assert sorted(set(parsed)) == ["data", "maths", "naming", "train"]
    assert session.project.parsed == 4


def test_evaluations_are_few(tree: Path) -> None:
    session = Session.open([tree], Settings())
    session.diagnoses()
    assert session.analysis.interpreter.spent <= 24


def test_without_a_loader_nothing_is_parsed(tree: Path, parsed: list[str]) -> None:
    (tree / "pkg/train.py").write_text("")
    (tree / "pkg/data.py").write_text("")
    assert Session.open([tree], Settings()).diagnoses() == []
    assert parsed == []


DECORATOR = """\
def logged(f):
    def inner(value):
        return f(value)

    return inner


def named(name):
    def outer(f):
        return f

    return outer
"""
APPLIED = "from pkg.maths import logged, named\n\n\n@{0}\ndef forward(value):\n    return value\n"


@pytest.mark.parametrize(
    ("function", "decorator", "applied"),
    [("inner", "logged", 0), ("logged", "logged", 1), ("outer", 'named("x")', 1), ("outer", "named", 0)],
)  # fmt: skip
def test_files_that_apply_a_function_by_name_alone_are_not_parsed_for_what_it_returns(
    tree: Path, parsed: list[str], function: str, decorator: str, applied: int
) -> None:
    (tree / "pkg/maths.py").write_text(DECORATOR)
    (tree / "pkg/model.py").write_text(APPLIED.format(decorator))
    analysis = Session.open([tree], Settings()).analysis
    module = analysis.project.module(tree / "pkg/maths.py")
    (node,) = module.functions_by_name[function]
    frame = analysis.interpreter.frame(module.inner_scope(node))
    assert len(analysis.interpreter.callers.decorated(frame)) == applied
    assert ("model" in parsed) == bool(applied)


FILLED = """\
class Rows:
    def __init__(self):
        self.rows = []

    def fill(self):
        self.file = open("rows")

    def load(self):
        self.fill()

    def show(self):
        print(self.rows)
"""
CALLING = "from pkg.maths import Rows\n\nrows = Rows()\nrows.{0}()\nrows.{0}()\n"


def test_of_methods_that_lead_to_no_wanted_one_no_caller_is_asked(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "pkg/maths.py").write_text(FILLED)
    (tree / "pkg/use.py").write_text(CALLING.format("show"))
    (tree / "pkg/load.py").write_text(CALLING.format("load"))
    asked = []
    called_on = RoleReader._called_on

    def noted(self: RoleReader, cls: object, module: object, call: ast.Call) -> object:
        asked.append(ast.unparse(call))
        return called_on(self, cls, module, call)  # type: ignore[arg-type]

    monkeypatch.setattr(RoleReader, "_called_on", noted)
    analysis = Session.open([tree], Settings()).analysis
    module = analysis.project.module(tree / "pkg/maths.py")
    (node,) = module.classes
    reader = analysis.interpreter
    cls = reader.class_value(node, reader.frame_at(module, node))
    assert reader.roles.run_by_parent(cls, {"fill", "__init__"}) == {"fill", "__init__"}
    assert asked == ["rows.load()"]  # the first that counts
    assert reader.roles.run_by_parent(cls, {"show"}) == {"show"}


TWO = """\
class Rows:
    def __init__(self, path):
        self.path = path

    def fill(self):
        self.rows = list(self.path)

    def name(self, path):
        self._renamed(path)

    def _renamed(self, path):
        self.path = path

    def set(self, name, value):
        setattr(self, name, value)
"""


@pytest.mark.parametrize(
    ("attribute", "asked"),
    [("path", {"name", "_renamed", "set"}), ("rows", {"fill", "set"}), ("other", {"set"})],
)
def test_a_reader_of_one_attribute_asks_who_runs_the_methods_that_may_store_it(
    tree: Path, monkeypatch: pytest.MonkeyPatch, attribute: str, asked: set[str]
) -> None:
    (tree / "pkg/maths.py").write_text(TWO)
    analysis = Session.open([tree], Settings()).analysis
    module = analysis.project.module(tree / "pkg/maths.py")
    (node,) = module.classes
    reader = analysis.interpreter
    anyone = reader.instances.anyone(reader.class_value(node, reader.frame_at(module, node)))
    wanted: list[set[str]] = []
    run_by_parent = RoleReader.run_by_parent

    def noted(self: RoleReader, cls: object, names: set[str], *more: object) -> object:
        wanted.append({*names})
        return run_by_parent(self, cls, names, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(RoleReader, "run_by_parent", noted)
    reader.instances.stores_on(anyone, attribute)
    assert wanted == [asked]
    assert {*reader.instances.stores(anyone)} >= {"path"}
    assert wanted[1:] == [{"fill", "name", "_renamed", "set"}]


COPIES = """def again(output, **more):
    return type(output)(**more)


def once(loader, **more):
    return type(loader)(**more)
"""


def test_what_a_copied_object_is_is_asked_of_what_may_be_a_loader_alone(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = tree / "pkg/train.py"
    train.write_text(train.read_text() + COPIES)
    asked = counted(monkeypatch, Boundaries, "_boundary_in")
    session = Session.open([tree], Settings())
    assert [each.kind for each in session.analysis.boundaries] == ["DataLoader"]
    copied = {frame.scope.node.name for frame in asked}  # type: ignore[attr-defined]
    assert copied == {"main", "once"}


INDEXED = """from pkg.data import Rows


def first(rows: Rows):
    return rows[0]


class Others(Rows):
    pass


{0}
"""


@pytest.mark.parametrize(
    ("more", "evaluates"),
    [("", False), ("first(Rows(len))", True), ("KINDS = [Rows]", True)],
)
def test_items_of_a_class_that_nobody_makes_are_not_looked_for(
    tree: Path, monkeypatch: pytest.MonkeyPatch, more: str, evaluates: bool
) -> None:
    (tree / "pkg/train.py").write_text(INDEXED.format(more))
    asked = counted(monkeypatch, ItemsTaken, "_taken_in")
    analysis = Session.open([tree], Settings()).analysis
    module = analysis.project.module(tree / "pkg/data.py")
    node = next(each for each in module.classes if each.name == "Rows")
    reader = analysis.interpreter
    cls = reader.class_value(node, reader.frame_at(module, node))
    reader.roles.run_by_parent(cls, {"__getitem__"})
    assert bool(asked) == evaluates


BUSY = """\
class Box:
    def __init__(self, size):
        self.size = size

    def busy(self, value):
        a = value + self.size
        b = a + value
        return b + a


def main():
{0}"""


@pytest.mark.parametrize(("allowed", "is_bounded"), [(_MOST_WORK, True), (10**9, False)])
def test_a_method_of_many_objects_is_worked_out_for_some_and_then_for_all_others_at_once(
    tree: Path, monkeypatch: pytest.MonkeyPatch, allowed: int, *, is_bounded: bool
) -> None:
    monkeypatch.setattr("dlfix.reach.calls._MOST_WORK", allowed)
    lines = (f"    x{number} = Box({number}).busy({number})\n" for number in range(300))
    (tree / "pkg/maths.py").write_text(BUSY.format("".join(lines)))
    analysis = Session.open([tree], Settings()).analysis
    module = analysis.project.module(tree / "pkg/maths.py")
    reader = analysis.interpreter
    for call in module.calls_by_name["busy"]:
        assert reader.evaluate(call, reader.frame_at(module, call))
    scope = module.inner_scope(module.functions_by_name["busy"][0])
    work = sum(done for (of, _), done in reader.work.items() if of is scope)
    assert (work < 2 * _MOST_WORK + 100) == is_bounded


def counted(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[object]:
    """Note what a function is asked about."""
    asked: list[object] = []
    answer = getattr(owner, name)

    def noted(*given: object) -> object:
        asked.append(given[-1])
        return answer(*given)

    monkeypatch.setattr(owner, name, noted)
    return asked


def test_who_calls_a_function_is_asked_once_though_many_paths_lead_through_it(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = "\n\n\n".join(f"def step{n}():\n    step{n + 1}()\n    step{n + 1}()" for n in range(6))
    (tree / "pkg/maths.py").write_text(f"def step6():\n    print()\n\n\n{steps}\n\n\nstep0()\n")
    analysis = Session.open([tree], Settings()).analysis
    module = analysis.project.module(tree / "pkg/maths.py")
    (node,) = module.calls_by_name["print"]
    asked = counted(monkeypatch, Entries, "calls_of")
    entries = Entries.of(analysis)
    assert len(entries.entries(module, node)) == 2**6
    assert len(entries.entries(module, node)) == 2**6
    assert len(asked) == 7


def test_what_a_function_reads_is_asked_once_for_all_loaders(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    further = (
        "    print(DataLoader(Rows(len), num_workers=2), DataLoader(Rows(abs), num_workers=2))\n"
    )
    (tree / "pkg/train.py").write_text(LOADER + further)
    analysis = Session.open([tree], Settings()).analysis
    asked = counted(monkeypatch, WorkerCode, "_read_in")
    every = [WorkerCode.of_boundary(analysis, each) for each in analysis.boundaries]
    assert len(every) == 3
    reads = [{name for _, name in code.first_reads} for code in every]
    assert reads == [{"shifted"}] * 3
    assert len(asked) == len(set(asked))


PUT_IN = """\
from torch.utils.data import DataLoader


def main(shuffle, size, **options):
    if shuffle and size > 1:
        options["sampler"] = shuffle
"""


def test_the_test_that_an_option_is_put_in_under_is_turned_into_text_once(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(loaders: int) -> int:
        call = "    print(DataLoader([len], num_workers=2, **options))\n"
        (tree / "pkg/train.py").write_text(PUT_IN + call * loaders + "\n\nmain(0, 1, timeout=1)\n")
        asked.clear()
        Session.open([tree], Settings()).diagnoses()
        return len([each for each in asked if isinstance(each, ast.Compare)])

    asked = counted(monkeypatch, copied_entries.ast, "unparse")
    first = work(1)
    assert first > 0
    assert work(8) == first


MANY = """\
from torch.utils.data import DataLoader

from pkg.data import Rows


def main(one, two, three, four):
    print(DataLoader(Rows([one, two, three, four]), num_workers=2))


def start(**options):
    main(**options)


start(one=1, two=2, three=3, four=lambda row: row)
"""


def test_the_arguments_of_a_call_are_worked_out_once_for_all_parameters(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "pkg/train.py").write_text(MANY)
    analysis = Session.open([tree], Settings()).analysis
    nodes: list[ast.Call] = []
    given = Calls._given

    def noted(self: Calls, node: ast.Call, frame: Frame) -> Arguments:
        nodes.append(node)
        return given(self, node, frame)

    monkeypatch.setattr(Calls, "_given", noted)
    values = [crossing.value for crossing in analysis.crossings]
    assert sum(isinstance(value, Function) for value in values) == 1
    assert [ast.unparse(node) for node in nodes].count("main(**options)") == 1


def test_what_was_cut_or_is_part_of_a_cycle_is_worked_out_again(tree: Path) -> None:
    interpreter = Session.open([tree], Settings()).analysis.interpreter
    memo: dict[str, int] = {}

    def cut() -> int:
        interpreter._head = 0  # it goes back to the outermost evaluation
        return 1

    assert interpreter.whole(memo, "cut", cut) == 1
    assert memo == {}
    assert interpreter.whole(memo, "whole", lambda: 2) == 2
    assert memo == {"whole": 2}
    assert interpreter.whole(memo, "whole", cut) == 2


HEIRS = """

class Many(Rows):
    pass


class More(Rows):
    pass
"""


def test_whether_a_call_runs_beside_no_workers_is_asked_once_for_all_classes_of_its_method(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "pkg/maths.py").write_text(FILLED + HEIRS)
    (tree / "pkg/load.py").write_text(CALLING.format("load").replace("Rows", "Rows, Many, More", 1))
    asked = []

    def noted(node: ast.AST, *_: object) -> bool:
        asked.append(node)
        return False

    monkeypatch.setattr("dlfix.reach.process_roles.runs_beside_no_workers", noted)
    analysis = Session.open([tree], Settings()).analysis
    module = analysis.project.module(tree / "pkg/maths.py")
    reader = analysis.interpreter
    for node in module.classes:
        cls = reader.class_value(node, reader.frame_at(module, node))
        reader.roles.of(cls)
    assert len(asked) == len(set(asked)) > 0


SETTING = "import decimal\n\n\ndef shown():\n    return decimal.getcontext().prec\n"


@pytest.mark.parametrize(
    ("code", "is_read"), [(SETTING, False), (SETTING + "\n\ndecimal.prec = 3\n", True)]
)
def test_files_that_only_read_an_attribute_of_a_library_are_not_parsed_for_where_it_is_set(
    tree: Path, parsed: list[str], code: str, is_read: bool
) -> None:
    (tree / "pkg/naming.py").write_text(code)
    list(stores("decimal.prec", Session.open([tree], Settings()).analysis))
    assert ("naming" in parsed) is is_read


def test_who_leads_to_a_module_is_looked_for_up_to_what_is_too_much(
    tree: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        (tree / f"pkg/other{number}.py").write_text("from pkg import maths\n")
    monkeypatch.setattr(importing, "_MOST", 5)
    project = Session.open([tree], Settings()).project
    assert importing.together(project, project.module(tree / "pkg/maths.py")) is None
    assert len(parsed) < 10
