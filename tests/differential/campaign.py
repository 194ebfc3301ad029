"""Draws many programs, judges them in a few processes, and reduces what fails."""

from __future__ import annotations

import multiprocessing
import multiprocessing.pool
import multiprocessing.util
import random
import shutil
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.differential import grammar
from tests.differential.grammar import Family, Spec
from tests.differential.oracle import Files, Judge, Verdict, write

FORKSERVER_EVERY = 5
_TRIED = 20  # programs, for one that has new pairs of choices
RENEWED_AFTER = 150  # programs: dlfix keeps what it read as long as its process lives


Job = tuple[int, str, Spec]  # a seed, a family, the features


@dataclass(frozen=True)
class Judged:
    """One program and what became of it."""

    seed: int
    family: str
    spec: Spec
    verdict: Verdict


@dataclass
class Cause:
    """A failure in its plainest form, and how many programs it explains."""

    status: str
    family: Family
    spec: Spec
    seed: int
    files: Files
    verdict: Verdict
    count: int = 1

    def explains(self, judged: Judged) -> bool:
        """Return whether a failing program has all that makes this one fail."""
        if judged.family != self.family.name or judged.verdict.bad != self.status:
            return False
        plain = {name: next(iter(options)) for name, options in self.family.features.items()}
        odd = {name: value for name, value in self.spec.items() if value != plain[name]}
        return bool(odd) and odd.items() <= judged.spec.items()

    def __str__(self) -> str:
        return f"{self.count:4} {self.status}: {self.family.name} {self.family.told(self.spec)}"


@dataclass
class Campaign:
    """The totals of many programs."""

    statuses: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    failed: list[Judged] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    programs: int = 0

    def add(self, judged: Judged) -> None:
        """Count one program in."""
        self.programs += 1
        verdict = judged.verdict
        self.statuses[judged.family, "safe", verdict.safe] += 1
        if verdict.unsafe != "-":
            self.statuses[judged.family, "unsafe", verdict.unsafe] += 1
        if verdict.bad:
            self.failed.append(judged)

    def failures(self) -> str:
        """Return the number of failures of each kind, in words."""
        counted = Counter(judged.verdict.bad for judged in self.failed)
        return ", ".join(f"{n} {kind}" for kind, n in counted.most_common()) or "no failures"

    @property
    def wrong(self) -> list[Judged]:
        """The programs that a fix made worse."""
        return [one for one in self.failed if (one.verdict.bad or "").startswith("WRONG")]


_judge: Judge | None = None
_count = 0
_plant: Callable[[], None] | None = None


def _judging() -> Judge:
    global _judge, _count
    if _judge is None:
        if _plant is not None:
            _plant()
        _judge = Judge()
        multiprocessing.util.Finalize(None, _judge.close, exitpriority=10)
    _count += 1
    return _judge


def drawn(seeds: Iterable[int], only: str | None = None) -> Iterator[Job]:
    """Draw a program for each seed."""
    for seed in seeds:
        family, spec = grammar.draw(seed, only)
        yield seed, family.name, spec


def paired(seeds: Iterable[int], only: str | None = None) -> Iterator[Job]:
    """Draw programs of few choices in which many pairs of these are new: most mistakes need two of them."""
    covered: dict[str, set[tuple[str, str, str, str]]] = defaultdict(set)
    for seed in seeds:
        rng = random.Random(seed)
        family = grammar.families()[only or grammar.family_of(rng)]
        known = covered[family.name]
        tried = [family.draw_few(rng) for _ in range(_TRIED)]
        spec = max(tried, key=lambda one: len(family.pairs(one) - known))
        known |= family.pairs(spec)
        yield seed, family.name, spec


def swept(only: str | None = None) -> Iterator[Job]:
    """Every option of every feature in an otherwise plain program."""
    for family in grammar.families().values():
        if only in (None, family.name):
            for spec in family.every():
                yield 0, family.name, spec


def judge_program(job: Job) -> Judged:
    """Write a program down and judge it."""
    seed, name, spec = job
    family = grammar.families()[name]
    verdict = _judging().judge(family.render(spec), forkserver=seed % FORKSERVER_EVERY == 0)
    return Judged(seed, family.name, spec, verdict)


def reduce(judged: Judged) -> Cause:
    """Make a failing program plainer while it fails in the same way."""
    family = grammar.families()[judged.family]
    status = judged.verdict.bad
    assert status is not None
    spec = _plainest(family, judged.spec, status)
    files = family.render(spec)
    verdict = _judging().judge(files, forkserver="forkserver" in status)
    return Cause(status, family, spec, judged.seed, files, verdict)


def _plainest(family: Family, spec: Spec, status: str) -> Spec:
    """One feature is often enough; else features are dropped one by one."""
    for alone in family.single(spec):
        if _judging().still(family.render(alone), status):
            return alone
    for less in family.plainer(spec):
        if _judging().still(family.render(less), status):
            return _plainest(family, less, status) if family.weight(less) > 1 else less
    return spec


def _close_at_end() -> None:
    warnings.simplefilter("ignore")


def run(programs: Iterable[Job], *, processes: int = 2,
        causes: int = 80, reducing: bool = True,
        tell: Callable[[str], None] | None = None) -> Campaign:  # fmt: skip
    """Judge programs, and reduce those that fail."""
    campaign = Campaign()
    with _pool(processes) as pool:
        for judged in pool.imap_unordered(judge_program, programs, chunksize=4):
            campaign.add(judged)
            if tell and judged.verdict.bad:
                made_of = grammar.families()[judged.family].told(judged.spec)
                tell(f"{judged.verdict.bad}: {judged.family}, seed {judged.seed}: {made_of}")
            if tell and campaign.programs % 100 == 0:
                tell(f"{campaign.programs} programs, {campaign.failures()}")
    if reducing:
        with _pool(processes, 30) as pool:
            _find_causes(campaign, pool, causes, processes, tell)
    return campaign


def _pool(processes: int, tasks: int = RENEWED_AFTER // 4) -> multiprocessing.pool.Pool:
    context = multiprocessing.get_context("fork")
    return context.Pool(processes, _close_at_end, maxtasksperchild=tasks)


def _find_causes(campaign: Campaign, pool, most: int, processes: int, tell) -> None:
    waiting = sorted(campaign.failed, key=_weight)
    while waiting and len(campaign.causes) < most:
        batch = list(_different(waiting, processes))
        for cause in pool.map(reduce, batch, chunksize=1):
            cause.count = 0
            same = [one for one in campaign.causes if one.status == cause.status
                    and one.family.name == cause.family.name and one.spec == cause.spec]  # fmt: skip
            if not same:
                campaign.causes.append(cause)
        left = []
        for judged in waiting:
            explaining = [cause for cause in campaign.causes if cause.explains(judged)]
            if explaining:
                explaining[0].count += 1
            elif judged not in batch:
                left.append(judged)
        waiting = left
        if tell:
            tell(f"{len(campaign.causes)} causes, {len(waiting)} failures to explain")


def _weight(judged: Judged) -> int:
    return grammar.families()[judged.family].weight(judged.spec)


def _different(waiting: list[Judged], number: int) -> Iterator[Judged]:
    step = max(1, len(waiting) // number)
    yield from waiting[::step][:number]


def report(campaign: Campaign) -> str:
    """Return the totals as text."""
    lines = [f"{campaign.programs} programs"]
    for kind in ("safe", "unsafe"):
        for family in sorted({family for family, _, _ in campaign.statuses}):
            counted = {status: count for (name, way, status), count in
                       sorted(campaign.statuses.items()) if name == family and way == kind}  # fmt: skip
            if counted:
                lines.append(f"{kind:7} {family:10} " + ", ".join(
                    f"{status} {count}" for status, count in counted.items()))  # fmt: skip
    if campaign.causes:
        lines.append("\ncauses, in their plainest form:")
        lines += [str(cause) for cause in sorted(campaign.causes, key=lambda c: -c.count)]
    return "\n".join(lines)


def save(campaign: Campaign, folder: Path) -> None:
    """Write each cause down: the program, what dlfix makes of it, and why that fails."""
    shutil.rmtree(folder, ignore_errors=True)
    for number, cause in enumerate(sorted(campaign.causes, key=lambda c: -c.count)):
        name = f"{number:03}_{cause.status.replace(' ', '_')}_{cause.seed}"
        write(folder / name / "before", cause.files)
        verdict = cause.verdict
        if verdict.safe_files is not None:
            write(folder / name / "after_safe", verdict.safe_files)
        if verdict.unsafe_files is not None:
            write(folder / name / "after_unsafe", verdict.unsafe_files)
        (folder / name / "why.txt").write_text(
            f"{cause}\nsafe: {verdict.safe}\nunsafe: {verdict.unsafe}\ncodes: {verdict.codes}\n"
            f"left: {verdict.left}\n{verdict.why}\nseed {cause.seed}\n{cause.spec}\n"
        )


def main() -> int:
    """Run a campaign from the command line."""
    import argparse
    import itertools
    import time

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=2000)
    parser.add_argument("--seed", type=int, help="the first seed; a fresh one by default")
    parser.add_argument("--sweep", action="store_true", help="each option alone, before the others")
    parser.add_argument("--pairs", action="store_true", help="pairs of choices, the rare ones too")
    parser.add_argument("--family", choices=grammar.families())
    parser.add_argument(
        "--with",
        dest="having",
        metavar="FEATURE=OPTION",
        help="only programs that drew this option",
    )
    parser.add_argument("--causes", type=int, default=80, help="reduce at most so many")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("differential-failures"))
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int(time.time()) % 10**6 * 1000
    start = time.monotonic()
    jobs = list(swept(options.family)) if options.sweep else []
    feature, _, option = (options.having or "").partition("=")
    any_seed = (paired if options.pairs else drawn)(itertools.count(seed), options.family)
    fitting = (job for job in any_seed if not feature or job[2].get(feature) == option)
    jobs += itertools.islice(fitting, options.number)
    campaign = run(
        jobs, processes=options.processes,
        causes=options.causes, tell=lambda text: print(text, file=sys.stderr, flush=True),
    )  # fmt: skip
    print(f"seed {seed}, {time.monotonic() - start:.0f} s")
    print(report(campaign))
    save(campaign, options.out)
    return 1 if campaign.wrong else 0
