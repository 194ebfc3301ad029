"""What moved to module level captures what it captured, and shows what it showed."""

import textwrap

import pytest

from tests.fixing.proof.pairs import worse


def test_a_function_that_captures_nothing_may_move():
    before = "def make():\n    def collate(rows):\n        return rows\n    return DataLoader([], collate_fn=collate)\n"
    after = "def collate(rows):\n    return rows\n\ndef make():\n    return DataLoader([], collate_fn=collate)\n"
    assert worse(before, after) == []


def test_a_capture_may_be_bound():
    before = "def make(by):\n    return DataLoader([], collate_fn=lambda rows: rows * by)\n"
    after = "def _collate(rows, *, by):\n    return rows * by\n\ndef make(by):\n    return DataLoader([], collate_fn=functools.partial(_collate, by=by))\n"
    assert worse(before, after) == []


def bound(
    body,
    *,
    head="def make(args):",
    use="functools.partial(_scale, by=by)",
    lam="lambda v: v * by",
    **others,
):
    """Compare a lambda that captures `by` with a partial, at `HERE` in a body."""
    new = "def _scale(v, *, by):\n    return v * by\n\n"
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    before, after = lines.replace("HERE", lam), lines.replace("HERE", use)
    return worse(f"{head}\n{before}\n", f"{new}{head}\n{after}\n", **others)


REBOUND = {
    "below": "by = 1\nfn = HERE\nby = 2\nreturn fn",
    "below, by a loop": "by = 1\nfn = HERE\nfor by in args:\n    fn(by)\nreturn fn",
    "below, in a branch": "by = 1\nfn = HERE\nif args:\n    by = 2\nreturn fn",
    "below, by `with`": "by = 1\nfn = HERE\nwith open(args) as by:\n    return fn",
    "by the loop it is in": "fns = []\nfor by in args:\n    fns.append(HERE)\nreturn fns",
    "in the loop it is in": "fns = []\nfor arg in args:\n    by = arg\n    fns.append(HERE)\nreturn fns",
    "by +=": "by = 0\nfn = HERE\nby += 1\nreturn fn",
    "by another function": "by = 0\nfn = HERE\ndef more():\n    nonlocal by\n    by += 1\nmore()\nreturn fn",
    "by an import": "by = 1\nfn = HERE\nimport os as by\nreturn fn",
    "by a function of that name": "by = 1\nfn = HERE\ndef by():\n    pass\nreturn fn",
    "by a handler": "by = 1\nfn = HERE\ntry:\n    fn()\nexcept ValueError as by:\n    pass\nreturn fn",
    "by the comprehension it is in": "return [HERE for by in args]",
    "by a walrus": "by = 0\nfn = HERE\nif (by := args):\n    return fn",
}


@pytest.mark.parametrize("body", REBOUND.values(), ids=REBOUND)
def test_a_captured_name_is_not_bound_by_value_where_it_is_bound_again(body):
    assert any("captured by value" in reason for reason in bound(body))


UNBOUND = {
    "below": "fn = HERE\nby = args\nreturn fn",
    "to itself": "by = HERE\nreturn by",
    "in a branch before": "if args:\n    by = 1\nfn = HERE\nby = 2\nreturn fn",
    "within its own statement": "by = DataLoader([], collate_fn=HERE)\nreturn by",
}


@pytest.mark.parametrize("body", UNBOUND.values(), ids=UNBOUND)
def test_a_captured_name_is_bound_before_it_is_bound_by_value(body):
    assert any("may not be assigned yet" in reason for reason in bound(body))


IN_BRANCHES = {
    "of one choice": (
        "if args:\n    by = 1\n    fn = HERE\nelse:\n    by = 2\n    fn = print\nreturn fn",
        True,
    ),
    "of a loop": (
        "for arg in args:\n    if arg:\n        by = 1\n        fn = HERE\n    else:\n        by = 2\nreturn fn",
        False,
    ),
    "of two choices": (
        "if args:\n    by = 1\n    fn = HERE\nif not args.b:\n    by = 2\nreturn fn",
        False,
    ),
    "that the other returns before": (
        "if args:\n    by = 1\n    return HERE\nby = 2\nreturn by",
        True,
    ),
    "that may return before it": (
        "if args:\n    by = 1\n    fn = HERE\n    if args.b:\n        return fn\nby = 2\nreturn fn",
        False,
    ),
    "that is left by an exception": (
        "if args:\n    by = 1\n    raise ValueError(HERE)\nby = 2\nreturn by",
        True,
    ),
    "whose exception is handled": (
        "try:\n    by = 1\n    raise ValueError(HERE)\nexcept ValueError as error:\n    by = 2\n    return error",
        False,
    ),
    "of a match": (
        "match args:\n    case 1:\n        by = 1\n        fn = HERE\n    case _:\n        by = 2\n        fn = print\nreturn fn",
        True,
    ),
    "after the end of a loop that returns": (
        "for arg in args:\n    by = 1\n    return HERE\nby = 2\nreturn by",
        True,
    ),
    "after a break": (
        "for arg in args:\n    by = 1\n    fn = HERE\n    break\nby = 2\nreturn fn",
        False,
    ),
    "run at the end of a return": (
        "by = 1\ntry:\n    return HERE\nfinally:\n    by = 2",
        False,
    ),
    "that is left, and another function binds it": (
        "by = 0\ndef more():\n    nonlocal by\n    by += 1\nif args:\n    return HERE, more\nby = 2\nreturn by",
        False,
    ),
}


@pytest.mark.parametrize(("body", "may"), IN_BRANCHES.values(), ids=IN_BRANCHES)
def test_a_captured_name_may_be_bound_again_in_another_branch(body, may):
    assert may != any("captured by value" in reason for reason in bound(body))


OF_PROCESSES = {
    "started in the turn": (
        "for arg in args:\n    by = arg\n    p = Process(target=HERE)\n    p.start()\n    ps.append(p)",
        True,
    ),
    "started before it is bound again": (
        "by = 1\np = Process(target=HERE)\np.start()\nby = 2\np.join()",
        True,
    ),
    "in a loop of the turn": (
        "for arg in args:\n    by = arg\n    for rank in arg:\n        p = Process(target=HERE)\n"
        "        p.start()\n        ps.append(p)\n    for p in ps:\n        p.join()",
        True,
    ),
    "by a name": (
        "for arg in args:\n    by = arg\n    fn = HERE\n    for rank in arg:\n        p = Process(target=fn)\n"
        "        p.start()\n        ps.append(p)",
        True,
    ),
    "by a name that is used again": (
        "by = 1\nfn = HERE\np = Process(target=fn)\np.start()\nby = 2\np = Process(target=fn)\np.start()",
        False,
    ),
    "by a name that the parent calls too": (
        "for arg in args:\n    by = arg\n    fn = HERE\n    p = Process(target=fn)\n    p.start()\n    ps.append(lambda: fn(1))",
        False,
    ),
    "by a name of an earlier turn": (
        "fn = print\nfor arg in args:\n    by = arg\n    p = Process(target=fn)\n    p.start()\n    fn = HERE",
        False,
    ),
    "started later": (
        "for arg in args:\n    by = arg\n    p = Process(target=HERE)\n    ps.append(p)\nfor p in ps:\n    p.start()",
        False,
    ),
    "started in a branch": (
        "for arg in args:\n    by = arg\n    p = Process(target=HERE)\n    ps.append(p)\n    if arg:\n        p.start()",
        False,
    ),
    "started after another": (
        "by = 1\np = Process(target=HERE)\nps.append(p)\np = Process(target=print)\np.start()\nby = 2\nps[0].start()",
        False,
    ),
    "bound again before it starts": (
        "by = 1\np = Process(target=HERE)\nby = 2\np.start()",
        False,
    ),
    "a thread": (
        "for arg in args:\n    by = arg\n    p = Thread(target=HERE)\n    p.start()\n    ps.append(p)",
        False,
    ),
    "kept beside the process": (
        "for arg in args:\n    by = arg\n    fn = HERE\n    p = Process(target=fn)\n    p.start()\n    ps.append(fn)",
        False,
    ),
}


@pytest.mark.parametrize(("body", "may"), OF_PROCESSES.values(), ids=OF_PROCESSES)
def test_a_process_that_has_started_is_done_with_its_target(body, may):
    head = "from multiprocessing import Process\nfrom threading import Thread\n\nps = []\n\ndef make(args):"
    assert may != any("captured by value" in reason for reason in bound(body, head=head))


def test_a_global_that_a_function_sets_is_not_bound_by_value():
    reasons = bound(
        "return HERE",
        head="by = 1\n\ndef use(value):\n    global by\n    by = value\n\ndef make():",
    )
    assert any("captured by value" in reason for reason in reasons)


SET_LATER = {
    "by a method": "    def setup(self, by):\n        self.by = by\n",
    "by the same method": "        self.by = 2\n",
    "by a subclass": "class Sub(Made):\n    def setup(self):\n        self.by = 3\n",
    "from outside": "made = Made()\nmade.by = 4\n",
}


@pytest.mark.parametrize("more", SET_LATER.values(), ids=SET_LATER)
def test_an_attribute_that_is_set_later_is_not_bound_by_value(more):
    text = "{0}class Made:\n    def __init__(self):\n        self.by = None\n        self.fn = {1}\n{2}"
    before = text.format("", "lambda v: v * self.by", more)
    after = text.format(
        "def _scale(v, *, by):\n    return v * by\n\n",
        "functools.partial(_scale, by=self.by)",
        more,
    )
    assert any("captured by value" in reason for reason in worse(before, after))


def test_an_attribute_of_a_local_object_that_is_set_later_is_not_bound_by_value():
    reasons = bound(
        "fn = HERE\nargs.by = 3\nreturn fn",
        lam="lambda v: v * args.by",
        use="functools.partial(_scale, by=args.by)",
    )
    assert any("captured by value" in reason for reason in reasons)


ONCE = {
    "a call": ("lambda v: v * next(args)", "functools.partial(_scale, by=next(args))"),
    "a list": ("lambda v: v * []", "functools.partial(_scale, by=[])"),
    "a length": ("lambda v: v * len(args)", "functools.partial(_scale, by=len(args))"),
}


@pytest.mark.parametrize(("lam", "use"), ONCE.values(), ids=ONCE)
def test_what_was_made_at_each_call_is_not_bound_once(lam, use):
    assert any("created once" in reason for reason in bound("return HERE", lam=lam, use=use))


def test_a_value_by_default_was_made_once_already():
    assert not bound(
        "fns = []\nfor by in args:\n    fns.append(HERE)\nreturn fns", lam="lambda v, by=by: v * by"
    )


def test_a_list_that_is_used_up_at_once_may_be_captured_by_value():
    assert not bound("by = 1\nfirst = list(map(HERE, args))\nby = 2\nreturn first, by")


PICKLES_NOT = {
    "a lambda": "functools.partial(lambda v, by: v * by, by=by)",
    "a function of C": "functools.partial(lmdb.open, by)",
}


@pytest.mark.parametrize("use", PICKLES_NOT.values(), ids=PICKLES_NOT)
def test_a_partial_holds_nothing_that_cannot_be_pickled(use):
    assert any("holds" in reason for reason in bound("by = 1\nreturn HERE", use=use))


def test_a_partial_does_not_hold_a_local_function():
    body = "by = 1\ndef inner(v, by):\n    return v * by\nreturn HERE"
    assert any(
        "holds the local function" in reason
        for reason in bound(body, use="functools.partial(inner, by=by)")
    )


LOOKED_AT = {
    "its signature": "import inspect\n\ndef apply(fn):\n    return inspect.signature(fn).parameters\n",
    "its name": "def register(fn):\n    return {fn.__name__: fn}\n",
    "its code": "def names(fn):\n    return fn.__code__.co_varnames\n",
    "its type": "import types\n\ndef check(fn):\n    assert isinstance(fn, types.FunctionType)\n",
    "whether it is one": "import inspect\n\ndef check(fn):\n    return inspect.isfunction(fn)\n",
    "its defaults": "def check(step):\n    return step.fn.__defaults__\n",
}


@pytest.mark.parametrize("other", LOOKED_AT.values(), ids=LOOKED_AT)
def test_a_function_stays_one_where_somebody_asks_for(other):
    asks = f"import main\n{other}"
    assert any("of a function" in reason for reason in bound("by = 1\nreturn HERE", other=asks))


@pytest.mark.parametrize("other", LOOKED_AT.values(), ids=LOOKED_AT)
def test_a_file_that_shares_no_import_with_the_program_asks_nothing_of_it(other):
    assert bound("by = 1\nreturn HERE", conf=other) == []


@pytest.mark.parametrize(
    ("asked", "refused"),
    [("fn.__name__", True), ("getattr(fn, '__name__', None)", True), ("fn.__doc__", False)],
)
def test_a_lambda_of_the_module_gets_no_name_that_somebody_asks_for(asked, refused):
    use = f"def main(fn):\n    print({asked})\n    return DataLoader([], collate_fn=fn)\n\nmain(double)\n"
    before, after = "double = lambda v: v * 2\n", "def double(v):\n    return v * 2\n"
    assert refused == any("`__name__` of a function" in r for r in worse(before + use, after + use))


BOTH_BEFORE = """\
class Mixin:
    def padded(self):
        pad = self.pad

        def collate(rows):
            return rows + [pad]

        return collate

    @property
    def cut(self):
        return lambda rows: self.padded()(rows[1:])

def main(data):
    for collate in (data.cut, data.padded()):
        print(DataLoader(data, collate_fn=collate, num_workers=2))
"""
BOTH_AFTER = """\
import functools

def _collate(rows, *, pad):
    return rows + [pad]

class Mixin:
    def padded(self):
        pad = self.pad

        return functools.partial(_collate, pad=pad)

    @property
    def cut(self):
        return self._cut

    def _cut(self, rows):
        return self.padded()(rows[1:])

def main(data):
    for collate in (data.cut, data.padded()):
        print(DataLoader(data, collate_fn=collate, num_workers=2))
"""


@pytest.mark.parametrize(("asked", "stays"), [("step", False), ("collate", True)])
def test_what_is_asked_of_a_partial_is_not_looked_for_in_all_that_moved_with_it(asked, stays):
    other = f"import main\n\ndef add({asked}):\n    return {asked}.__code__\n"
    found = worse(BOTH_BEFORE, BOTH_AFTER, other=other)
    assert any("`__code__` of a function is read" in reason for reason in found) is stays


OF_CLASSES = "def show(x):\n    print(type(x).__name__, x.__class__.__name__)\n\nif __name__ == '__main__':\n    show(1)\n"


def test_the_names_of_classes_are_no_names_of_functions():
    assert bound("by = 1\nreturn HERE", other=OF_CLASSES) == []


def test_what_a_class_method_asks_of_its_class_is_asked_of_no_function():
    other = "class Config:\n    @classmethod\n    def known(cls):\n        return list(cls.__annotations__)\n"
    assert bound("by = 1\nreturn HERE", other=other) == []


def moved(before, new, after, **others):
    return worse(before, f"{new}\n{after}", **others)


def local(body, *, around="x = 1\n    ", name="collate", sign="rows"):
    before = f"def make():\n    {around}def {name}({sign}):\n        {body}\n    return {name}\n"
    return before, f"def {name}({sign}):\n    {body}\n", f"def make():\n    {around}return {name}\n"


def of_class(body):
    head = "class Rows:\n    def make(self):\n"
    inner = f"        def collate(rows):\n            {body}\n"
    return (
        f"def __scaled(rows): pass\n{head}{inner}        return collate\n",
        f"def collate(rows):\n    {body}\n",
        f"def __scaled(rows): pass\n{head}        return collate\n",
    )


INSIDE = {
    "a local of the function it was in": local("return rows * x"),
    "a local import": local("return json.dumps(rows)", around="import json\n    "),
    "a local that hides the module's": local("return os.getcwd()", around="os = None\n    "),
    "a private attribute of a class": of_class("return rows.__data"),
    "a private name of a class": of_class("return __scaled(rows)"),
    "super": local("return super().collate(rows)"),
    "the class": local("return __class__"),
}


@pytest.mark.parametrize("case", INSIDE.values(), ids=INSIDE)
def test_the_moved_code_names_what_it_named(case):
    assert moved(*case)


@pytest.mark.parametrize("body", ["return rows.__data", "return __scaled(rows)"])
def test_two_underscores_mean_nothing_outside_of_classes(body):
    before, new, after = local(body, around="")
    helper = "def __scaled(rows): pass\n"
    assert not any("class-private" in each for each in moved(helper + before, new, helper + after))


DEFAULTS = {
    "a list": "rows, seen=[]",
    "a call": "rows, at=time.time()",
    "a global that changes": "rows, *, mode=MODE",
}


@pytest.mark.parametrize("sign", DEFAULTS.values(), ids=DEFAULTS)
def test_a_default_is_evaluated_as_often_as_before(sign):
    before, new, after = local("return rows", sign=sign)
    head = "MODE = 1\nMODE = 2\n"
    assert any("the default" in reason for reason in worse(head + before, head + new + after))


def test_a_default_that_never_changes_may_be_evaluated_at_import():
    assert moved(*local("return rows", sign="rows, size=2, mode=None, dtype=np.float32")) == []


def test_a_decorator_moves_with_its_function():
    text = (
        "def make():\n    @functools.cache\n    def size(v):\n        return v\n    return size\n"
    )
    new = "def size(v):\n    return v\n"
    after = "def make():\n    return size\n"
    assert any("decorator" in reason for reason in moved(text, new, after))
    assert moved(text, "@functools.cache\n" + new, after) == []
    renamed = "@functools.wraps\ndef _size(v):\n    return v\n"
    assert moved(text, renamed, after.replace("size", "_size"))


TAKEN = {
    "a builtin that is used": ("sum", "\ndef total(rows):\n    return sum(rows)\n"),
    "a name from a star import": (
        "merge",
        "\nfrom shapes import *\n\ndef all_of(rows):\n    return merge(rows)\n",
    ),
}


@pytest.mark.parametrize(("name", "more"), TAKEN.values(), ids=TAKEN)
def test_the_name_at_module_level_is_free(name, more):
    before, new, after = local("return rows", name=name)
    assert any(
        "changes what the name refers to" in reason
        for reason in moved(before + more, new, after + more)
    )


def test_all_parts_of_a_generic_function_move():
    before = "def make():\n    @functools.singledispatch\n    def size(v):\n        return 0\n    @size.register\n    def _(v: int):\n        return v\n    return size\n"
    after = "@functools.singledispatch\ndef size(v):\n    return 0\n\ndef make():\n    @size.register\n    def _(v: int):\n        return v\n    return size\n"
    assert any("in each call" in reason for reason in worse(before, after))


def test_attributes_of_a_function_belong_to_one_call():
    before = (
        "def make():\n    def count(v):\n        return v\n    count.calls = 0\n    return count\n"
    )
    after = "def count(v):\n    return v\n\ndef make():\n    count.calls = 0\n    return count\n"
    assert any("in each call" in reason for reason in worse(before, after))


def test_a_bound_keyword_is_not_passed_by_a_caller_too():
    before = "def make(by):\n    def fn(v, **more):\n        return v * by, more\n    return fn\n\ndef run(fn):\n    return fn(1, by=2)\n"
    after = "def _fn(v, *, by, **more):\n    return v * by, more\n\ndef make(by):\n    return functools.partial(_fn, by=by)\n\ndef run(fn):\n    return fn(1, by=2)\n"
    assert any("`by` is passed" in reason for reason in worse(before, after))


def test_a_class_takes_what_it_captured_where_it_is_made():
    text = (
        "{0}def make(args):\n    by = 1\n{1}    made = Scaled({2})\n    by = 2\n    return made\n"
    )
    old = (
        "    class Scaled(Dataset):\n        def __getitem__(self, i):\n            return i * by\n"
    )
    new = "class Scaled(Dataset):\n    def __init__(self, by):\n        self.by = by\n\n    def __getitem__(self, i):\n        return i * self.by\n\n"
    assert any(
        "captured by value" in r
        for r in worse(text.format("", old, ""), text.format(new, "", "by"))
    )


def test_a_name_at_import_is_bound_before_it_is_used():
    before = "scale = DataLoader([], collate_fn=lambda v: v)\n"
    after = "scale = DataLoader([], collate_fn=_collate)\n\ndef _collate(v):\n    return v\n"
    assert any("on import" in reason for reason in worse(before, after))


def test_an_item_is_not_captured_by_value_where_it_is_changed():
    reasons = bound(
        "cfg = {}\nfn = HERE\ncfg['by'] = 2\nreturn fn",
        lam="lambda v: v * cfg['by']",
        use="functools.partial(_scale, by=cfg['by'])",
    )
    assert any("captured by value" in reason for reason in reasons)


def test_a_partial_is_no_method():
    text = "{0}def make(by):\n    class Made:\n        fn = {1}\n    return Made\n"
    before = text.format("", "lambda self, v: v * by")
    new = "def _fn(self, v, *, by):\n    return v * by\n\n"
    after = text.format(new, "functools.partial(_fn, by=by)")
    assert any(
        "the partial is not bound to an instance, unlike the method that it replaces" in reason
        for reason in worse(before, after)
    )


ASKS = {
    "isinstance": "isinstance(fn, functools.partial)",
    "the docstring": "fn.__doc__",
    "the module": "fn.__module__",
}


@pytest.mark.parametrize("given", ["by=by", "by"])
@pytest.mark.parametrize("question", ASKS.values(), ids=ASKS)
def test_nobody_asks_whether_a_function_is_a_partial(question, given):
    body = f"by = 1\nfn = HERE\nprint({question})\nreturn fn"
    reasons = bound(body, use=f"functools.partial(_scale, {given})")
    assert any("becomes a partial" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("test", "refused"),
    [
        ("type(args).__module__ == 'numpy'", False),
        ("'numpy' != args.__module__", False),
        ("fn.__module__ == 'main'", True),
        ("fn.__module__ == 'pkg.main'", True),
        ("type(fn).__module__ == 'builtins'", True),
        ("type(fn).__module__ != 'functools'", True),
        ("fn.__module__ == args", True),
        ("fn.__module__ in ('numpy', 'main')", True),
        ("fn.__module__ in ('numpy', 'torch')", False),
        ("fn.__module__ in args", True),
        ("'numpy' in fn.__module__", True),
        ("type(fn).__module__.split('.', 1)[0] != 'numpy'", False),
        ("type(fn).__module__.partition('.')[0] == 'functools'", True),
        ("type(fn).__module__.split('.')[-1] == 'numpy'", True),
        ("type(fn).__module__.split('n')[0] == 'numpy'", True),
        ("fn.__module__.split('.')[0] == 'program'", True),
        ("type(fn).__module__.startswith('torch.')", False),
        ("type(fn).__module__.startswith('func')", True),
        ("fn.__module__.startswith('')", True),
        ("fn.__module__ == 'numpy' == args", True),
        ("type(fn).__module__ == np.__name__", False),
        ("type(fn).__module__ == itself.__name__", True),
        ("type(fn).__module__ == args.__name__", True),
        ("type(fn).__module__ == either.__name__", True),
        ("type(fn).__module__.startswith(np.__name__)", False),
    ],
)
def test_a_module_may_be_compared_with_that_of_neither(test, refused):
    imports = "import numpy as np, builtins as itself, numpy as either, functools as either\n"
    reasons = bound(f"{imports}by = 1\nfn = HERE\nprint({test})\nreturn fn")
    assert any("`__module__` of a function is read" in each for each in reasons) is refused


COMMANDS = "parser.set_defaults(func=print)\nargs = parser.parse_args()\n"


@pytest.mark.parametrize(
    "question",
    [
        f"{COMMANDS}print(hasattr(args, 'func'))",
        "isinstance(args, int)",
        "print(other.read.__doc__, other.read.__closure__)",
    ],
)
def test_other_objects_may_be_asked(question):
    other = "def read(path): return path\n"
    head = "import other\ndef make(args):"
    assert bound(f"by = 1\nfn = HERE\n{question}\nreturn fn", head=head, other=other) == []


def test_what_may_be_the_function_is_not_asked_for_the_parts_of_a_partial():
    reasons = bound("by = 1\nfn = HERE\nprint(hasattr(args, 'func'))\nreturn fn")
    assert any("`func` of a function is read" in reason for reason in reasons)


@pytest.mark.parametrize("question", ["__closure__", "__code__.co_freevars"])
def test_nobody_asks_for_the_closure_of_what_moves(question):
    before = "def make():\n    def one(v):\n        return v\n    fn = lambda v: one(v)\n"
    after = "def one(v):\n    return v\n\ndef fn(v):\n    return one(v)\n\ndef make():\n"
    use = f"    print(fn.{question})\n    return DataLoader([], collate_fn=fn)\n"
    assert worse(before + use, after + use)


def test_the_result_of_super_is_not_captured_by_value():
    head = "class Base:\n    pass\n\nclass Job(Base):\n    def make(self):\n        by = super()\n"
    old = "        return DataLoader([], collate_fn=lambda v: v * by)\n"
    new = "        return DataLoader([], collate_fn=functools.partial(_scale, by=by))\n"
    reasons = worse(head + old, "def _scale(v, *, by):\n    return v * by\n\n" + head + new)
    assert any("super()" in reason for reason in reasons)


SHOWS = {
    "a dataclass": "@dataclasses.dataclass\nclass {}:\n    x: int\n",
    "a named tuple": "class {}(typing.NamedTuple):\n    x: int\n",
    "a named tuple that a call makes": "{0} = collections.namedtuple('{0}', 'x')\n",
    "an enumeration": "class {}(enum.Enum):\n    X = 1\n",
}
SHOWS_NOT = {
    "a plain class": "class {}:\n    x = 1\n",
    "a class with a text of its own": "class {}(enum.Enum):\n    X = 1\n\n    def __repr__(self):\n        return 'x'\n",
}


def renamed(cls, name):
    """Move a class to module level, under another name."""
    inside = textwrap.indent(cls.format("Row"), "    ")
    use = "    return DataLoader([{}(1)], num_workers=2)\n"
    before = f"def main():\n{inside}{use.format('Row')}"
    return worse(before, f"{cls.format(name)}\n\ndef main():\n{use.format(name)}")


@pytest.mark.parametrize("cls", SHOWS.values(), ids=SHOWS)
def test_a_class_keeps_the_name_that_its_objects_show(cls):
    assert any("printed under another name" in reason for reason in renamed(cls, "_Row"))
    assert not any("printed under another name" in reason for reason in renamed(cls, "Row"))


@pytest.mark.parametrize("cls", SHOWS_NOT.values(), ids=SHOWS_NOT)
def test_a_class_gets_another_name_that_its_objects_do_not_show(cls):
    assert not any("printed under another name" in reason for reason in renamed(cls, "_Row"))


@pytest.mark.parametrize(
    ("head", "refused"),
    [
        ("", True),
        ("from google.cloud.storage import Client\n", False),
        ("from __future__ import annotations\n", False),
    ],
)
def test_an_annotation_is_of_names_that_are_bound_where_it_is_evaluated(head, refused):
    start = "    def __init__(self):\n        from google.cloud.storage import Client\n"
    before = f"class Rows:\n{start}        self.client: Client | None = None\n"
    getter = "    @property\n    def client(self) -> Client | None:\n        return self._held.get(os.getpid())\n"
    after = f"class Rows:\n{start}        self._held = {{}}\n\n{getter}"
    assert any("reads `Client`" in each for each in worse(head + before, head + after)) is refused


ELSEWHERE = "import functools\n\ndef show(table, name):\n    for each in table[name]:\n        print(isinstance(each, functools.partial))\n"
OWN_POOL = (
    "class Pool:\n    def imap(self, fn, rows):\n        print(isinstance(fn, functools.partial))\n"
)


LINKS = """
import inspect, sys
import main
{names}

def linkcode_resolve(domain, info):
    __import__(info["module"])
    obj = sys.modules[info["module"]]
    for part in info["fullname"].split("."):
        obj = getattr(obj, part)
    return len(inspect.getsource(obj))
"""
SPHINX = "project = 'rows'\nextensions = ['sphinx.ext.linkcode']"


@pytest.mark.parametrize(
    ("others", "asked"),
    [
        ({"conf": LINKS.format(names=SPHINX)}, False),
        ({"conf": LINKS.format(names="project = 'rows'")}, True),
        ({"links": LINKS.format(names=SPHINX)}, True),
        ({"conf": LINKS.format(names=SPHINX), "train": "from conf import linkcode_resolve"}, True),
    ],
    ids=["a configuration of Sphinx", "no extensions", "another file", "imported"],
)
def test_what_sphinx_runs_is_handed_no_function(others, asked):
    found = bound("by = 1\nreturn HERE", **others)
    assert asked == any("`getsource` of a function is read" in reason for reason in found)


def in_pool(use, other=""):
    text = "from multiprocessing import Pool\n{}\ndef make(by, rows):\n    with Pool() as pool:\n        {}\n"
    new = "def _scale(v, *, by):\n    return v * by\n\n"
    after = text.format(new, use.replace("HERE", "functools.partial(_scale, by=by)"))
    before = text.format("", use.replace("HERE", "lambda v: v * by"))
    return worse(before, after, other=ELSEWHERE + other)


def test_what_a_pool_gets_is_not_what_other_code_asks_for():
    assert in_pool("return list(pool.imap(HERE, rows))") == []


@pytest.mark.parametrize(
    ("use", "other"),
    [
        ("fn = HERE\n        pool.imap(fn, rows)\n        return fn", ""),
        ("return list(pool.imap(HERE, rows))", OWN_POOL),
        ("return show({'a': [HERE]}, 'a')", ""),
    ],
)
def test_what_others_may_get_is_asked_for(use, other):
    assert any("becomes a partial" in reason for reason in in_pool(use, other))


@pytest.mark.parametrize(
    ("use", "keeps"),
    [
        ("functools.update_wrapper(functools.partial(_call, f), f)", True),
        ("functools.update_wrapper(functools.partial(_call, f), other)", False),
        ("functools.update_wrapper(functools.partial(_call, f), f, updated=())", False),
        ("functools.partial(_call, f)", False),
    ],
)
def test_a_partial_gets_what_a_wrapper_got_from_what_it_wraps(use, keeps):
    call = "def call(*args):\n    return f(*args)\n"
    before = (
        f"def again(f):\n    @functools.wraps(f)\n{textwrap.indent(call, '    ')}    return call\n"
    )
    after = call.replace("call(*", "_call(f, /, *", 1) + f"\ndef again(f):\n    return {use}\n"
    reasons = moved(before, after, "")
    assert keeps != any("the decorators of `call`" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("rest", "is_called"),
    [
        ("return cls(rows)", True),
        ("return [cls(row) for row in rows]", True),
        ("return cls", False),
        ("return cls(rows), isinstance(rows, cls)", False),
        ("return cls.__doc__, cls(rows)", False),
        ("def made():\n        return cls\n    return made()(rows)", True),
        ("return cls\n\nfirst = make([], 2)([1])", True),
        ("return cls\n\nMade = make([], 2)\nfirst = Made([1])", True),
        ("return cls\n\nMade = make([], 2)\nclass Own(Made):\n    pass", False),
        ("return cls\n\nmakers = {'first': make([], 2)}", False),
        ("return cls\n\nfirst = make([], 2).__name__", False),
        ("return cls, rows\n\nfirst = make([], 2)", False),
    ],
)
def test_a_class_becomes_a_partial_where_it_is_only_called(rest, is_called):
    method = "        def __getitem__(self, i):\n            return i * by\n"
    init = "    def __init__(self, rows, *, by):\n        self.by = by\n\n"
    plain = "        def __init__(self, rows):\n            pass\n\n"
    before = f"def make(rows, by):\n    class Scaled(Dataset):\n{plain}{method}    cls = Scaled\n    {rest}\n"
    moved_method = textwrap.dedent(method.replace(" by\n", " self.by\n"))
    new = f"class Scaled(Dataset):\n{init}{textwrap.indent(moved_method, '    ')}\n"
    after = f"def make(rows, by):\n    cls = functools.partial(Scaled, by=by)\n    {rest}\n"
    reasons = moved(before, new, after)
    assert is_called == (reasons == [])
    assert is_called != any("used other than by a call" in reason for reason in reasons)


def test_a_derived_class_passes_what_its_base_takes():
    before = (
        "def make(rows, by):\n    class Base(Dataset):\n        def __init__(self, rows):\n"
        "            self.rows = rows * by\n    class Part(Base):\n        def __getitem__(self, i):\n"
        "            return self.rows[i]\n    return Part(rows)\n"
    )
    base = "class Base(Dataset):\n    def __init__(self, rows, *, by):\n        self.rows = rows * by\n\n"
    part = "class Part(Base):\n{0}    def __getitem__(self, i):\n        return self.rows[i]\n"
    init = "    def __init__(self, rows, *, by):\n        super().__init__(rows{0})\n\n"
    after = "def make(rows, by):\n    return Part(rows, by=by)\n"
    assert moved(before, base + part.format(init.format(", by=by")), after) == []
    assert moved(before, base + part.format(init.format("")), after)
    assert moved(before, base + part.format(""), after.replace(", by=by", ""))


def test_an_attribute_of_a_class_that_moved_is_still_set():
    item = "def __getitem__(self, i):\n            return self.first + self.second\n"
    before = f"def make(by):\n    class Rows(Dataset):\n        first = by\n        second = by\n\n        {item}    return Rows()\n"
    both = "        self.first = by\n        self.second = by\n"
    new = f"class Rows(Dataset):\n    def __init__(self, *, by):\n{both}\n    {item.replace('    ' * 3, '    ' * 2)}\n"
    after = "def make(by):\n    return Rows(by=by)\n"
    assert moved(before, new, after) == []
    one = new.replace("        self.second = by\n", "")
    assert any("`Rows.second` is not set" in each for each in moved(before, one, after))
    item = "    def __getitem__(self, i):\n        return self.by\n"
    before = f"def make(by):\n    class Rows(Dataset):\n{textwrap.indent(item, '    ').replace('self.by', 'by')}    return Rows()\n"
    new = f"class Rows(Dataset):\n    def __init__(self, *, by):\n        pass\n\n{item}\n"
    assert any("`Rows.by` is not set" in each for each in moved(before, new, after))
    assert moved(before, new.replace("pass", "self.by = by"), after) == []


RENAMED = """
class Reader:
    def {name}(self, items):
        if items:
            first = items[0]
        return first

    def start(self):
        return Process(target=self.{name})
"""


@pytest.mark.parametrize(("body", "refused"), [("", False), ("del items", True)])
def test_a_method_that_is_only_renamed_reads_what_it_read(body, refused):
    after = RENAMED.format(name="_read").replace(
        "if items:", f"{body or 'pass'}\n        if items:"
    )
    before = RENAMED.format(name="__read").replace("if items:", "pass\n        if items:")
    found = worse(before, after)
    assert refused == any("may not be assigned yet" in reason for reason in found)


@pytest.mark.parametrize(
    ("code", "refused"),
    [
        ("from inspect import signature\n\ndef show(f):\n    return signature(f)\n", True),
        (
            "import json\n\ndef show(d):\n    signature: dict = d['x']\n    json.dump(signature, f)\n",
            False,
        ),
        (
            "import json\n\ndef show(ds):\n    for signature in ds:\n        json.dump(signature, f)\n",
            False,
        ),
        (
            "import inspect\n\ndef show(f):\n    signature = inspect.signature\n    return signature(f)\n",
            True,
        ),
        (
            "def show(f):\n    signature = {'a': inspect.signature}['a']\n    return signature(f)\n",
            True,
        ),
        ("import json\n\ndef show(signature):\n    json.dump(signature, open('x', 'w'))\n", False),
        (
            "import json\n\ndef show(f):\n    signature = read()\n    json.dump(signature, f)\n",
            False,
        ),
    ],
)
def test_a_variable_may_have_the_name_of_what_asks(code, refused):
    text = "def made(n):\n    by = {}\n    show(by)\n    return DataLoader([], collate_fn=by)\n\n"
    moved = "def _by(f, *, n):\n    return f[:n]\n\n"
    before = code + text.format("lambda f: f[:n]")
    after = code + moved + text.format("functools.partial(_by, n=n)")
    assert any("`signature` of a function" in each for each in worse(before, after)) is refused


FLATTENED = {
    "what it binds": (
        "def settings(f):\n    return sorted(f.keywords)\n\nsettings(make(3))\n",
        True,
    ),
    "something else": ("def settings(f):\n    return f.settings\n\nsettings(make(3))\n", False),
}


@pytest.mark.parametrize(("code", "refused"), FLATTENED.values(), ids=FLATTENED)
def test_a_partial_of_what_becomes_a_partial_shows_what_that_binds(code, refused):
    before = (
        "def make(table):\n    def jitter(x, seed, strength):\n        return x + table\n\n"
        "    return functools.partial(jitter, strength=1)\n\n"
    )
    after = (
        "def _jitter(x, seed, strength, *, table):\n    return x + table\n\n\n"
        "def make(table):\n    jitter = functools.partial(_jitter, table=table)\n\n"
        "    return functools.partial(jitter, strength=1)\n\n"
    )
    reasons = worse(before + code, after + code)
    assert refused == any("`keywords` of a function is read" in each for each in reasons)


@pytest.mark.parametrize(
    ("moved", "made", "refused"),
    [
        ("def _by(n, f):\n    return f[:n]\n\n", "functools.partial(_by, n)", False),
        ("def _by(f, *, n):\n    return f[:n]\n\n", "functools.partial(_by, n=n)", True),
        ("def _by(k, f, *, n):\n    return f[:n]\n\n", "functools.partial(_by, 1, n=n)", True),
    ],
)
def test_what_a_partial_binds_by_position_is_no_parameter_of_it(moved, made, refused):
    code = "from inspect import signature\n\ndef show(f):\n    return signature(f)\n"
    text = "def made(n):\n    by = {}\n    show(by)\n    return DataLoader([], collate_fn=by)\n\n"
    before = code + text.format("lambda f: f[:n]")
    after = code + moved + text.format(made)
    assert any("`signature` of a function" in each for each in worse(before, after)) is refused
