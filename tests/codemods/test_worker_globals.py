"""How the function that workers start with is written."""

from __future__ import annotations

import libcst as cst

from dlfix.fixing.planners.worker_globals import WorkerGlobalsPlan
from dlfix.source.text import Position, Span
from dlfix_codemods.worker_globals import WorkerGlobals


def rewritten(before: str, values: tuple[tuple[str, str], ...] = (("rate", "args.rate"),)) -> str:
    rows = before.split("\n")
    first = next(i for i, row in enumerate(rows) if "Loader(" in row)
    last = next(i for i, row in enumerate(rows) if i >= first and row.rstrip().endswith(")"))
    call = Span(
        Position(first + 1, rows[first].index("Loader(")), Position(last + 1, len(rows[last]))
    )
    above = Span(Position(first + 1, 0), Position(last + 1, len(rows[last])))
    plan = WorkerGlobalsPlan(
        "_init_worker",
        "def _init_worker(worker_id, rate):",
        ("settings.configure(rate)",),
        values,
        (call,),
        above,
    )
    return WorkerGlobals.rewrite(cst.parse_module(before), plan).code


FUNCTION = "def _init_worker(worker_id, rate):\n    settings.configure(rate)\n"


def test_a_partial_binds_what_the_parent_gave() -> None:
    assert rewritten("import settings\n\nloader = Loader(data, num_workers=2)\n") == (
        "import functools\n\nimport settings\n\n\n" + FUNCTION + "\n\n"
        "loader = Loader(\n    data, num_workers=2, worker_init_fn=functools.partial(_init_worker,"
        " rate=args.rate)\n)\n"
    )


def test_with_nothing_to_bind_the_function_is_passed_itself() -> None:
    after = rewritten("import settings\n\nloader = Loader(data)\n", ())
    assert after.endswith("loader = Loader(data, worker_init_fn=_init_worker)\n")
    assert "functools" not in after


def test_a_function_that_is_there_is_replaced() -> None:
    after = rewritten("loader = Loader(data, worker_init_fn=seed, num_workers=2)\n", ())
    assert after.endswith("loader = Loader(data, worker_init_fn=_init_worker, num_workers=2)\n")


def test_arguments_on_lines_of_their_own_get_one_more_line() -> None:
    after = rewritten("loader = Loader(\n    data,  # all\n    num_workers=2,\n)\n", ())
    assert after.endswith(
        "loader = Loader(\n    data,  # all\n    num_workers=2,\n    worker_init_fn=_init_worker,\n)\n"
    )


def test_a_comment_beside_the_last_argument_stays() -> None:
    after = rewritten("loader = Loader(\n    data,\n    num_workers=2,  # two\n)\n", ())
    assert "num_workers=2,  # two\n    worker_init_fn=_init_worker,\n)" in after


def of_pool(values: tuple[tuple[str, str], ...]) -> str:
    text = "with Pool(4) as pool:\n    pass\n"
    plan = WorkerGlobalsPlan(
        "_init_worker",
        f"def _init_worker({', '.join(name for name, _ in values)}):",
        ("configure()",),
        values,
        (Span(Position(1, 5), Position(1, 12)),),
        Span(Position(1, 0), Position(2, 8)),
        option="initializer",
    )
    return WorkerGlobals.rewrite(cst.parse_module(text), plan).code


def test_a_pool_passes_the_values_itself() -> None:
    one = of_pool((("value", "RATE"),))
    assert "with Pool(4, initializer=_init_worker, initargs=(RATE,)) as pool:" in one
    two = of_pool((("rate", "RATE"), ("size", "SIZE")))
    assert "with Pool(4, initializer=_init_worker, initargs=(RATE, SIZE)) as pool:" in two
    assert "functools" not in one + two


def test_a_pool_without_values_gets_the_function_alone() -> None:
    assert "with Pool(4, initializer=_init_worker) as pool:" in of_pool(())


def test_a_process_gets_a_function_that_runs_its_target() -> None:
    text = "job = Process(target=work, args=(1,))\n"
    plan = WorkerGlobalsPlan(
        "_run_worker",
        "def _run_worker(target, *args, value, **kwargs):",
        ("configure(value)", "target(*args, **kwargs)"),
        (("value", "RATE"),),
        (Span(Position(1, 6), Position(1, 37)),),
        Span(Position(1, 0), Position(1, 37)),
        option="target",
    )
    after = WorkerGlobals.rewrite(cst.parse_module(text), plan).code
    given = "functools.partial(_run_worker, work, value=RATE)"
    assert after.endswith(f"job = Process(target={given}, args=(1,))\n")
