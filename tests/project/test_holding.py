"""Names that may hold what `made()` makes: the use that is marked is one of them, or is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.project.holding import Holding, Passing
from dlfix.project.module import Module
from dlfix.source.text import SourceText

HELD = {
    "a variable": "x = made()\nuse(x)",
    "itself": "use(made())",
    "what wraps it": "x = wrap(made())\nuse(x)",
    "another name": "x = made()\ny = x\nuse(y)",
    "an attribute": "self.loader = made()\nuse(other.loader)",
    "what a function returns": "def f():\n    return made()\nuse(f())",
    "a parameter": "def f(a, b):\n    use(b)\nf(1, made())",
    "a parameter by name": "def f(a, b):\n    use(b)\nf(b=made(), a=1)",
    "a method's parameter": "class C:\n    def f(self, a):\n        use(a)\nc.f(made())",
    "a constructor's": "class C:\n    def __init__(self, a):\n        use(a)\nC(made())",
    "star arguments": "def f(*all):\n    use(all[0])\nf(made())",
    "an item of a dict": "d = {'a': made()}\nuse(d['a'])",
    "a dict's new item": "d = {}\nd['a'] = made()\nuse(d['a'])",
    "unpacked": "a, b = made(), 1\nuse(a)",
    "either": "x = made() if y else None\nuse(x)",
    "a walrus": "if (x := made()):\n    use(x)",
    "what is entered": "with made() as x:\n    use(x)",
    "an item of a list": "for x in [made()]:\n    use(x)",
    "an item of what a function lists": "def f():\n    return [made()]\nfor x in f():\n    use(x)",
    "a comprehension's item": "xs = [made()]\n[use(x) for x in xs]",
    "a dict's values": "d = {'a': made()}\nfor x in d.values():\n    use(x)",
    "one of pairs": "d = {'a': made()}\nfor k, x in zip('a', d.values()):\n    use(x)",
    "what is appended": "xs = []\nxs.append(made())\nfor x in xs:\n    use(x)",
    "what a method gives": "d = {'a': made()}\nx = d.get('a')\nuse(x)",
    "a field of a data class": "class D:\n    a: int\nd = D(made())\nuse(d.a)",
    "keywords of a dict": "def f(a):\n    use(a)\nf(**{'a': made()})",
    "set by name": "setattr(o, 'x', made())\nuse(o.x)",
    "a keyword of a function that is called by another name": "def f(a):\n    use(a)\npartial(f, a=made())",
    "a keyword that is passed on": "def f(**k):\n    g(**k)\ndef g(a):\n    use(a)\nf(a=made())",
    "an item of what gathers keywords": "def f(**k):\n    use(k['a'])\nf(a=made())",
    "a parameter in a function within": "def f(a):\n    def g():\n        use(a)\nf(made())",
}
SCOPED_HELD = {
    "a base's parameter": "class B:\n    def __init__(self, b):\n        use(b)\n"
    "class C(B):\n    def __init__(self, a):\n        super().__init__(a)\nC(made())",
    "a base's parameter, by its name": "class B:\n    def __init__(self, b):\n        use(b)\n"
    "class C(B):\n    def __init__(self, a):\n        B.__init__(self, a)\nC(made())",
    "its class's parameter": "class C:\n    def __init__(self, a):\n        use(a)\n"
    "    @classmethod\n    def of(cls, b):\n        return cls(b)\nC.of(made())",
    "a partial's parameter": "def f(a):\n    use(a)\npartial(f, made())",
    "a thread's parameter": "def f(a):\n    use(a)\nx = made()\nThread(target=f, args=(x,))",
    "a parameter of that name, of whatever is called": "def f(x):\n    use(x)\n"
    "def g(h, x):\n    h(x)\ng(f, made())",
}
# Only where each function's parameters are its own.
SCOPED_NOT_HELD = {
    "another's parameter of the same name": "def f(a):\n    pass\ndef g(a):\n    use(a)\nf(made())",
    "by name, another's": "def f(a):\n    pass\ndef g(a):\n    use(a)\nf(a=made())",
    "an attribute named like a parameter": "def f(a):\n    pass\nf(made())\nuse(x.a)",
    "a parameter named like an attribute": "x.a = made()\ndef g(a):\n    use(a)",
}
NOT_HELD = {
    "another variable": "x = made()\nuse(y)",
    "its attribute": "x = made().size\nuse(x)",
    "what a function makes besides": "def f():\n    made()\n    return 1\nuse(f())",
    "another parameter": "def f(a, b):\n    use(a)\nf(1, made())",
    "what is put into it": "made()[0] = x\nuse(x)",
}


def holds(text: str, *, scoped: bool) -> bool:
    module = Module(SourceText(Path("/m.py"), text.encode(), text, "utf-8"), "m")
    made = module.calls_by_name["made"][0]
    (use,) = module.calls_by_name["use"]
    return Holding(Passing([module], scoped=scoped)).of(module, made).may_be(module, use.args[0])


@pytest.mark.parametrize("scoped", [False, True])
@pytest.mark.parametrize("text", HELD.values(), ids=HELD)
def test_it_may_hold_it(text: str, scoped: bool) -> None:
    assert holds(text, scoped=scoped)


@pytest.mark.parametrize("scoped", [False, True])
@pytest.mark.parametrize("text", NOT_HELD.values(), ids=NOT_HELD)
def test_it_cannot_hold_it(text: str, scoped: bool) -> None:
    assert not holds(text, scoped=scoped)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("def f():\n    e = made()\ndef g():\n    e = 1\n    y = e\n    use(y)", False),
        (
            "def f():\n    for e in made():\n        pass\ndef g():\n    e = 1\n    y = e\n    use(y)",
            False,
        ),
        ("def f():\n    e = made()\n    def g():\n        y = e\n        use(y)", True),
        ("def f():\n    global e\n    e = made()\ndef g():\n    y = e\n    use(y)", True),
        ("def f():\n    e = made()\n    run(e=e)\ndef g(e):\n    y = e\n    use(y)", True),
        ("def f():\n    e = made()\n    o.e = e\ndef g():\n    y = o.e\n    use(y)", True),
    ],
    ids=["a variable", "a loop's", "an enclosing one", "a global", "a keyword", "an attribute"],
)
def test_a_local_variable_is_one_of_its_function(text: str, held: bool) -> None:
    assert holds(text, scoped=True) == held
    assert holds(text, scoped=False)


@pytest.mark.parametrize("text", SCOPED_NOT_HELD.values(), ids=SCOPED_NOT_HELD)
def test_a_parameter_is_one_of_its_function(text: str) -> None:
    assert not holds(text, scoped=True)


@pytest.mark.parametrize("text", SCOPED_HELD.values(), ids=SCOPED_HELD)
def test_a_function_that_others_run_takes_what_they_take(text: str) -> None:
    assert holds(text, scoped=True)
