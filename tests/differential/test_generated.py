"""Generated programs compute what they did, in each process, after their fixes."""

from __future__ import annotations

import os
import time

import pytest

from tests.differential import campaign, grammar

for library in ("numpy", "h5py", "lmdb"):
    pytest.importorskip(library)

# None of these hangs before its fix, which would wait for the time limit.
FIRSTS = (126, 151, 176, 226)
FIRST_OF_FILES = 101
AT_ONCE = 25
# Where tests run side by side, each of their processes runs programs one by one.
PROCESSES = 1 if "PYTEST_XDIST_WORKER" in os.environ else os.cpu_count() or 1
FRESH = int(os.environ.get("DLFIX_FRESH", "0"))  # programs of seeds that nobody has seen


def wrong(seeds: range, only: str | None = None) -> dict[str, str]:
    """Return the programs of some seeds that a fix made worse, and how."""
    found = campaign.run(campaign.drawn(seeds, only), processes=PROCESSES, reducing=False)
    broken = [one for one in found.failed if one.verdict.safe == "GENERATOR"]
    assert not broken, f"programs that do not run at all: {[one.seed for one in broken]}"
    return {str(one.seed): str(one.verdict.bad) for one in found.wrong}


@pytest.mark.parametrize("first", FIRSTS)
def test_no_fix_of_a_generated_program_is_wrong(first: int) -> None:
    seeds = range(first, first + AT_ONCE)
    found = wrong(seeds)
    assert not found, describe(found)


@pytest.mark.parametrize("first", range(FIRST_OF_FILES, FIRST_OF_FILES + 40, 10))
def test_no_fix_reopens_a_file_that_the_program_removes_or_replaces(first: int) -> None:
    found = wrong(range(first, first + 10), "files")
    assert not found, describe(found, "files")


@pytest.mark.skipif(not FRESH, reason="DLFIX_FRESH=40 runs programs of fresh seeds")
def test_no_fix_of_a_fresh_program_is_wrong() -> None:
    first = int(time.time())
    print(f"seeds from {first}")
    found = wrong(range(first, first + FRESH))
    assert not found, describe(found)


def describe(found: dict[str, str], only: str | None = None) -> str:
    """Name the programs, so that one can be drawn again."""
    lines = []
    for seed, how in found.items():
        family, spec = grammar.draw(int(seed), only)
        lines.append(f"seed {seed}: {how}: {family.name} {family.told(spec)}")
    return "\n".join(lines)


@pytest.mark.parametrize("family", grammar.families())
def test_a_seed_gives_the_same_program_again(family: str) -> None:
    first, again = ([*campaign.drawn(range(20), family)] for _ in range(2))
    assert first == again
    assert len({str(spec) for _, _, spec in first}) > 10


@pytest.mark.parametrize("family", grammar.families().values(), ids=lambda one: one.name)
def test_every_option_can_be_drawn(family: grammar.Family) -> None:
    """An option that `settle` always replaces would test nothing."""
    seen = {(name, option) for spec in drawn(family) for name, option in spec.items()}
    all_options = {(name, one) for name, options in family.features.items() for one in options}
    assert all_options - seen <= set()


def drawn(family: grammar.Family):
    return [spec for _, _, spec in campaign.drawn(range(16_000), family.name)]


@pytest.mark.parametrize("family", grammar.families().values(), ids=lambda one: one.name)
def test_what_is_drawn_compiles(family: grammar.Family) -> None:
    for spec in drawn(family)[:200]:
        for name, text in family.render(spec).items():
            compile(text, name, "exec")
