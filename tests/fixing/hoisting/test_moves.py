"""What moves, under which name, and what stays, for which reason."""

from __future__ import annotations

import ast
import textwrap

import libcst as cst
import pytest

import dlfix
from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.hoisting.moves import Moves
from dlfix.fixing.plans_callables import CallablesPlan
from dlfix_codemods.module_level_callables import ModuleLevelCallables
from tests.fixing.hoisting.moving import module_of, move

TWINS = """\
def one(by):
    def f(x):
        return x * by
    return f


def two(by):
    def f(x):
        return x * by
    return f
"""
TWINS_AFTER = """\
import functools


def _one(x, *, by):
    return x * by


def one(by):
    return functools.partial(_one, by=by)


def two(by):
    return functools.partial(_one, by=by)
"""


def check(before: str, after: str, name: str = "", crosses: bool = False) -> None:
    found, code = move(before, name, crosses)
    assert not found.doubts
    assert code == textwrap.dedent(after).lstrip("\n")


def check_refused(before: str, reason: str, name: str = "", crosses: bool = False) -> None:
    with pytest.raises(CannotHoist, match=reason):
        move(before, name, crosses)


def check_doubted(before: str, doubt: str, name: str = "") -> None:
    found, _ = move(before, name)
    assert found.doubts == [f"{doubt}, but the fix binds its current value"]


# Refused


@pytest.mark.parametrize(
    ("statement", "does"), [("count += 1", "assigns"), ("print(count)", "declares")]
)
def test_nonlocal_names_its_line(statement: str, does: str) -> None:
    check_refused(
        f"""
        def make():
            count = 0

            def collate(rows):
                nonlocal count
                {statement}
                return rows
            return collate
        """,
        rf"`collate` {does} `count` of the enclosing function with `nonlocal` \(line 5\)",
        "collate",
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("super().x", r"uses `super`, .* \(line 3\)"),
        ("locals()[x]", r"with `locals\(\)` \(line 3\)"),
        ("eval(x)", r"with `eval\(\)` \(line 3\)"),
    ],
)
def test_what_needs_its_frame_or_class_stays(body: str, reason: str) -> None:
    check_refused(f"class A:\n    def m(self):\n        return lambda x: {body}\n", reason)


def test_a_captured_list_that_is_changed_and_read_again() -> None:
    check_refused(
        """
        def make():
            seen = []
            f = lambda x: seen.append(x)
            use(f)
            return seen
        """,
        r"modifies `seen` \(line 3\), which is read later \(line 5\)",
    )


def test_what_processes_share_is_changed_for_all_of_them() -> None:
    _, after = move(
        """
        def make():
            count = mp.Array("i", 2)
            def f(x):
                count[0] = x
            use(f)
            return count
        """,
        "f",
    )
    assert "functools.partial(_f, count=count)" in after


def test_a_name_that_may_not_be_bound_yet() -> None:
    check_refused(
        """
        def make(flag):
            if flag:
                by = 2
            return lambda x: x * by
        """,
        "`by` may not be assigned yet .line 4",
    )


def test_a_name_that_is_read_on_one_way_only() -> None:
    check_refused(
        """
        def make(flag):
            if flag:
                by = 2
            try:
                log(by)
            except NameError:
                pass
            return lambda x: x * by
        """,
        "`by` may not be assigned yet .line 8",
    )


def test_a_name_that_was_read_before_is_bound() -> None:
    _, after = move(
        """
        def make(flag):
            if flag:
                by = 2
            log(by)
            return lambda x: x * by
        """
    )
    assert "by=by)" in after


def test_a_deleted_name() -> None:
    check_refused(
        """
        def make(by):
            use(lambda x: x * by)
            del by
        """,
        "`by` is deleted .line 3",
    )


def test_a_local_class_that_is_bound_twice() -> None:
    check_refused(
        """
        def make(Base):
            class Row:
                pass
            class Row(Row):
                pass
            return lambda x: Row()
        """,
        r"the function uses the local class `Row` \(line 2\)",
    )


def test_a_decorator_that_is_local() -> None:
    check_refused(
        """
        def make(deco):
            @deco
            def f(x):
                return x
            return f
        """,
        r"a decorator of `f` uses the local name `deco` \(line 2\)",
        "f",
    )


def test_an_annotation_that_is_local() -> None:
    check_refused(
        """
        def make(kind):
            def f(x: kind):
                return x
            return f
        """,
        r"an annotation of `f` uses the local name `kind` \(line 2\)",
        "f",
    )


def test_an_object_that_stays_behind_is_not_taken_along() -> None:
    check_refused(
        """
        class Data:
            def loader(self):
                return lambda rows: self.collate(rows)
            def collate(self, rows):
                return rows
        """,
        r"calls the method `self.collate` \(line 3\), which requires sending the `Data` instance",
    )


def test_an_attribute_of_a_local_function_moves_with_it() -> None:
    check(
        """
        def make():
            def f(x):
                return f.by
            f.by = 3
            return f
        """,
        """
        def _make(x):
            return _make.by


        _make.by = 3


        def make():
            return _make
        """,
        "f",
    )


def test_an_attribute_that_is_worked_out_where_the_function_is_made() -> None:
    check_refused(
        """
        def make(by):
            def f(x):
                return f.by
            f.by = by
            return f
        """,
        "belongs to `f` cannot be moved with it: the value may differ at module level .line 4",
        "f",
    )


def test_a_class_private_name_is_read_from_a_static_method() -> None:
    check(
        """
        class A:
            def m(self):
                return lambda x: x.__hidden
        """,
        """
        class A:
            def m(self):
                return self._get_hidden

            @staticmethod
            def _get_hidden(x):
                return x.__hidden
        """,
    )


def test_a_function_that_is_made_global() -> None:
    check_refused(
        """
        def make():
            global read
            def read(x):
                return x
            return read
        """,
        r"`read` is declared `global` \(line 3\)",
        "read",
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("for i in n:\n  made.append(lambda x: x + i)\n return made", "is used .line 5"),
        (
            "made += [lambda x: x + i for i in n]\n return made",
            "the loop assigns `i` in each iteration .line 3",
        ),
        ("for i in n:\n  yield lambda x: x + i", "is used .line 4"),
        ("for i in n:\n  n.f = lambda x: x + i", "is used .line 4"),
        (
            "i = 1\n f = lambda x: x + i\n g = [f]\n i = 2\n return g, f",
            "is reassigned .line 6",
        ),
        ("i = 1\n g = use(lambda x: x + i)\n i += 2\n return g", "is used .line 6"),
        ("i = 1\n f = lambda x: x + i\n def g(): f(1)\n i = 2\n g()", "is used .line 7"),
        (
            "i = 1\n while i:\n  made += [lambda x: x + i]\n  i = 0\n return made",
            "in each iteration .line 4",
        ),
    ],
)
def test_what_is_bound_late_and_seen_late_stays(body: str, reason: str) -> None:
    check_refused(f"def make(n):\n made = []\n {body}\n", reason)


# Unsafe


def test_a_loop_variable_of_what_ends_with_the_loop_is_a_doubt() -> None:
    check_doubted(
        """
        def make(shifts):
            for shift in shifts:
                loader = load(lambda x: x + shift)
                for batch in loader:
                    print(batch)
        """,
        "the loop assigns `shift` in each iteration (line 2)",
    )


def test_a_name_bound_again_after_the_last_use_is_a_doubt() -> None:
    check_doubted(
        """
        def make():
            by = 2
            rows = list(load(lambda x: x * by))
            by = 3
            return rows, by
        """,
        "`by` is reassigned (line 4)",
    )


def test_a_nonlocal_elsewhere_is_a_doubt() -> None:
    check_doubted(
        """
        def make():
            by = 2
            def step():
                nonlocal by
                by += 1
            return step, lambda x: x * by
        """,
        "`by` is reassigned with `nonlocal` (line 4)",
    )


# Simpler forms


@pytest.mark.parametrize(
    ("written", "simpler"),
    [
        ("lambda: 0", "int"),
        ("lambda: 0.0", "float"),
        ("lambda: ''", "str"),
        ("lambda: False", "bool"),
        ("lambda: []", "list"),
        ("lambda: {}", "dict"),
        ("lambda: set()", "set"),
        ("lambda: defaultdict(int)", "functools.partial(defaultdict, int)"),
        ("lambda: defaultdict(lambda: [])", "functools.partial(defaultdict, list)"),
        ("lambda x: int(x)", "int"),
        ("lambda *a, **k: stack(*a, **k)", "stack"),
        ("lambda x: join(x, by=3)", "functools.partial(join, by=3)"),
        ("lambda x: join(x, 3)", "functools.partial(join, by=3)"),
        ("lambda x: join(n, x)", "functools.partial(join, n)"),
    ],
)
def test_no_new_function_where_one_is_there(written: str, simpler: str) -> None:
    source = (
        "import functools\nfrom collections import defaultdict\nfrom rows import stack\n\n\n"
        "def join(x, by):\n    return x + by\n\n\ndef make(n):\n    return use({})\n"
    )
    _, code = move(source.replace("{}", written))
    assert code == source.replace("{}", simpler)


@pytest.mark.parametrize(
    "written",
    [
        "lambda: 1",
        "lambda: -0.0",
        "lambda x: join(x, now())",
        "lambda x: join(x, x)",
        "lambda x, y: join(y, x)",
        "lambda x: twice(x)",
        "lambda x: random.random()",
        "lambda: [0]",
        "lambda x=1: join(x, 2)",
    ],
)
def test_a_new_function_where_none_does_the_same(written: str) -> None:
    source = (
        "import random\nfrom times import now\n\n\ndef join(x, by):\n    return x + by\n\n\n"
        "twice = join\ntwice = max\n\n\ndef make(n):\n    return use({})\n"
    )
    found, _ = move(source.replace("{}", written))
    assert found.hoists


def test_a_bound_method_is_passed_as_it_is() -> None:
    check(
        """
        class Rows:
            def __init__(self):
                self.f = lambda x: self.double(x)

            def double(self, x):
                return x * 2
        """,
        """
        class Rows:
            def __init__(self):
                self.f = self.double

            def double(self, x):
                return x * 2
        """,
        crosses=True,
    )


# Names


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Loader(collate_fn=lambda b: b[0])", "_collate_fn"),
        ("Compose([lambda img: img.convert('RGB')])", "_convert_img_to_rgb"),
        ("Compose([lambda img, boxes=None: (img / 255, boxes)])", "_divide"),
        ("Compose([lambda img, boxes: (img, boxes)])", "_to_tuple"),
        ("Lambda(lambda x: x.repeat(3, 1, 1))", "_repeat"),
        ("Lambda(lambda x: x[0])", "_first"),
        ("Lambda(lambda x: x['image'])", "_get_image"),
        ("Lambda(lambda x: x)", "identity"),
        ("{'labels': lambda x: x + 1}", "_labels"),
        ("Lambda(lambd=lambda x: x * 2)", "_scale"),
        ("SetRange := Lambda(lambda x: 2 * x - 1)", "_set_range"),
        ("partial(lambda x: x + 1)", "_add"),
        ("Folder(target_transform=lambda t: t - 1)", "_target_transform"),
    ],
)
def test_a_lambda_is_named_for_what_it_fills_or_does(written: str, name: str) -> None:
    found, _ = move(f"def make():\n    use({written})\n")
    assert [hoist.name for hoist in found.hoists] == [name]


def test_a_name_gives_way_to_a_later_assignment() -> None:
    found, _ = move("def make():\n    use(fn=lambda b: b.sort())\n\n\n_sort = 3\n")
    assert found.hoists[0].name == "_make_sort"


def test_a_factory_names_what_it_makes() -> None:
    found, _ = move("def make_collate(n):\n    return lambda b: b + n\n")
    assert found.hoists[0].name == "_collate"


# Forms


def test_a_capture_is_bound_by_keyword() -> None:
    _, code = move("def make(n):\n    return use(lambda x: x + n)\n")
    assert "def _add(x, *, n):\n    return x + n\n" in code
    assert "use(functools.partial(_add, n=n))" in code


def test_a_method_is_made_of_what_uses_self() -> None:
    check(
        """
        class Rows:
            def __init__(self):
                self.clip = lambda x: x[: self.n]

            def get(self):
                return self.clip
        """,
        """
        class Rows:
            def __init__(self):
                self.clip = self._clip

            def _clip(self, x):
                return x[: self.n]

            def get(self):
                return self.clip
        """,
        crosses=True,
    )


def test_a_local_import_goes_into_the_body() -> None:
    _, code = move("def make():\n    import math\n    return lambda x: math.floor(x)\n")
    assert "    import math\n    return math.floor(x)\n" in code


def test_a_statement_beside_it_on_the_line_stays() -> None:
    _, code = move("def make():\n    a = 1; f = lambda x: x + 1\n    return a, f\n")
    assert "    a = 1; f = _add\n" in code


def test_a_signature_too_long_for_a_line_is_parted() -> None:
    names = [f"a_name_that_is_long_{number}" for number in range(4)]
    source = f"def make({', '.join(names)}):\n    use(lambda x: x + {' + '.join(names)})\n"
    _, code = move(source)
    assert f"def _add(x, *, {', '.join(names)}):\n" in code
    bound = "".join(f"            {name}={name},\n" for name in names)
    call = f"        functools.partial(\n            _add,\n{bound}        )\n"
    assert f"    use(\n{call}    )\n" in code


@pytest.mark.parametrize(
    ("line", "parted"),
    [
        (
            "rows = Load(root, collate_fn=lambda rows: [row + padding_of_rows for row in rows])",
            "rows = Load(\n        root, collate_fn=functools.partial("
            "_collate_fn, padding_of_rows=padding_of_rows)\n    )",
        ),
        (
            "return first, (lambda rows: [each_row + padding_of_rows for each_row in rows[1:]])",
            "return first, functools.partial(_to_list, padding_of_rows=padding_of_rows)",
        ),
        (
            "use([1, 2, 3, 4], Load(root, 'training', 'batches', lambda rows: padding_of_rows))",
            "use(\n        [1, 2, 3, 4],\n        Load(\n            root,\n"
            "            'training',\n            'batches',\n            functools.partial("
            "_get_padding_of_rows, padding_of_rows=padding_of_rows),\n        ),\n    )",
        ),
    ],
)
def test_a_line_that_grew_too_long_is_laid_out(line: str, parted: str) -> None:
    _, code = move(f"def make(root, first, padding_of_rows):\n    {line}\n")
    assert f"    {parted}\n" in code


def test_a_line_of_several_that_grew_too_long_is_laid_out() -> None:
    _, code = move(
        """
        def make(rows, converter_of_rows, load):
            loader = Loader(
                dataset=Rows(rows, lambda row: converter_of_rows([load(row), 1])),
                batch_size=1,
            )
        """
    )
    assert (
        "        dataset=Rows(\n"
        "            rows,\n"
        "            functools.partial(\n"
        "                _apply_converter_of_rows, converter_of_rows=converter_of_rows, load=load\n"
        "            ),\n"
        "        ),\n"
        "        batch_size=1,\n"
    ) in code


def test_arguments_that_shared_a_line_get_one_each() -> None:
    _, code = move(
        """
        def make(rows, converter):
            loader = Loader(
                rows[11111:22222:333333], lambda row: converter([row, 1])
            )
        """
    )
    each = "functools.partial(_apply_converter, converter=converter),"
    assert f"(\n        rows[11111:22222:333333],\n        {each}\n    )" in code


def test_a_line_that_was_too_long_stays_one() -> None:
    line = f"rows = Load({'root, ' * 16} collate_fn=lambda rows: rows[:padding])"
    _, code = move(f"def make(root, padding):\n    {line}\n")
    assert "root,  collate_fn=functools.partial(_collate_fn, padding=padding))\n" in code


@pytest.mark.parametrize(
    ("written", "flat"),
    [
        ("partial(lambda x, k: x * by + k, k=2)", "partial(_add, k=2, by=by)"),
        ("partial(lambda x, k: x * by + k, 2)", "partial(_add, 2, by=by)"),
        ("partial(lambda x, k=by: x + k, k=2)", "partial(_add, k=2)"),
        ("partial(lambda x, k: x * by + k, k=2, )", "partial(_add, k=2, by=by, )"),
        ("other(lambda x, k: x * by + k, k=2)", "other(partial(_add, by=by), k=2)"),
    ],
)
def test_a_partial_of_what_binds_is_one_partial(written: str, flat: str) -> None:
    _, code = move(f"from functools import partial\n\n\ndef make(by):\n    use({written})\n")
    assert f"    use({flat})\n" in code


def test_equal_functions_that_capture_share_one_body() -> None:
    module = module_of(TWINS)
    one, two = (node for node in module.tree.body if isinstance(node, ast.FunctionDef))
    first, second = one.body[0], two.body[0]
    moves = Moves(module)
    assert moves.key(first) == moves.key(second) is not None
    found = moves.move(first), moves.follow(second, first)
    hoists = tuple(each for move in found for each in move.hoists)
    uses = tuple(each for move in found for each in move.uses)
    plan = CallablesPlan(hoists, uses)
    code = ModuleLevelCallables.rewrite(cst.parse_module(module.text), plan).code
    assert code == TWINS_AFTER


@pytest.mark.parametrize(
    "other",
    [
        "def two(by):\n    def f(x):\n        return x * -by\n    return f\n",
        "def two():\n    def f(x):\n        return x * by\n    return f\n",
        "def two(by):\n    def f(x):\n        return x * by  # why\n    return f\n",
        "def two(by: int):\n    def g(x):\n        return x * by\n    return g\n",
    ],
)
def test_functions_that_differ_do_not_share(other: str) -> None:
    module = module_of(TWINS.partition("\n\n\n")[0] + "\n" + other)
    one, two = (node for node in module.tree.body if isinstance(node, ast.FunctionDef))
    moves = Moves(module)
    assert moves.key(one.body[0]) != moves.key(two.body[0])


@pytest.mark.parametrize(
    ("written", "signature"),
    [
        ("double: Callable[[int], int] = lambda x: x * 2", "double(x: int) -> int"),
        ("double: Callable[..., int] = lambda x: x * 2", "double(x)"),
        ("double: Callable[[int, int], int] = lambda x: x * 2", "double(x)"),
        ("double: Callable[[list[Row]], t.Any] = lambda x: x", "double(x: list[Row]) -> t.Any"),
        ("double = lambda x: x * 2  # noqa: E731", "double(x)"),
        ("double = lambda x: x * 2  # pylint: disable=unnecessary-lambda-assignment", "double(x)"),
    ],
)
def test_a_def_has_the_types_its_lambda_had(written: str, signature: str) -> None:
    _, code = move(f"{written}\n")
    assert code.startswith(f"def {signature}:\n    return ")


def test_a_comment_that_tells_more_stays() -> None:
    _, code = move("double = lambda x: x * 2  # noqa: E731, D103\n")
    assert code.startswith("# noqa: E731, D103\ndef double(x):")


@pytest.mark.parametrize(
    ("header", "parted"),
    [
        ("for row in Load(first, collate_fn=lambda r: r + [padding_of_all_rows])", "for"),
        ("with open_all(first, lambda r: r + [padding_of_all_rows]) as loader_of_it", "w"),
        ("while use(first, lambda r: r + [padding_of_all_rows], [1, 2, 3, 4, 5])", "w"),
    ],
)
def test_a_header_that_grew_too_long_is_laid_out(header: str, parted: str) -> None:
    _, code = move(f"def make(first, padding_of_all_rows):\n    {header}:\n        pass\n")
    lines = code.partition("def make")[2].splitlines()
    assert lines[1].startswith(f"    {parted}")
    assert lines[1].endswith("(")
    (end,) = (line for line in lines[2:] if line.startswith("    )"))
    assert end.endswith(":")


@pytest.mark.parametrize(
    ("parameters", "signature"),
    [
        ("x, *more", "x, *more, by"),
        ("x, *more, k=1", "x, *more, k=1, by"),
        ("x, **more", "by, /, x, **more"),
        ("x, *, k", "x, *, k, by"),
        ("x, /", "x, /, *, by"),
    ],
)
def test_what_is_bound_joins_the_parameters(parameters: str, signature: str) -> None:
    _, code = move(f"def make(by):\n    use(lambda {parameters}: x + by)\n")
    assert f"def _add({signature}):" in code


def test_a_word_that_tells_nothing_tells_no_name_apart() -> None:
    before = "def _collate(rows): ...\n\n\ndef collate_fn(pad):\n    def collate(rows):\n        return rows + [pad]\n    return collate\n"
    _, code = move(before, "collate")
    assert "def _collate_2(rows, *, pad):" in code


def test_a_partial_does_not_take_the_name_of_what_it_calls() -> None:
    check(
        """
def launch(by):
    def _work(x):
        return x * by

    for _ in range(2):
        run(_work)
    return _work
""",
        """
import functools


def _launch_work(x, *, by):
    return x * by


def launch(by):
    _work = functools.partial(_launch_work, by=by)

    for _ in range(2):
        run(_work)
    return _work
""",
        name="_work",
    )


BELOW = """
from torch.utils.data import DataLoader

def made(data, n):
    def collate(b) -> Batch:
        return Batch(b[:n])
    return DataLoader(data, collate_fn=collate)

{between}class Batch(list):
    pass

{last}"""


@pytest.mark.parametrize(
    ("between", "last", "is_below"),
    [
        ("", "def main():\n    made([1], 2)\n", True),
        ("SIZE = 2\n\n", "main = 1\n", True),
        ("loader = made([1], 2)\n\n", "main = 1\n", False),  # it is needed by then
        ("", "", False),
    ],
)
def test_a_function_stands_below_what_its_annotations_read(between, last, is_below):
    _, code = move(BELOW.format(between=between, last=last), "collate")
    assert (code.index("def _collate") > code.index("class Batch")) is is_below


def test_lazy_annotations_need_no_place_of_their_own():
    text = "from __future__ import annotations\n" + BELOW.format(between="", last="x = 1\n")
    _, code = move(text, "collate")
    assert code.index("def _collate") < code.index("def made")


def test_a_lambda_is_not_named_after_a_parameter_that_says_lambda() -> None:
    before = """
from torch.utils.data import DataLoader, Dataset

class Lambda:
    def __init__(self, lam):
        self.lam = lam

class Rows(Dataset):
    def __init__(self):
        self.transform = [Lambda(lambda v: (v * 2) - 1)]

def load():
    return DataLoader(Rows(), num_workers=2)
"""
    assert "Lambda(_rescale)" in dlfix.fix_text(before, isolated=True).text
