"""Which rules are asked, and which findings are left out by configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from dlfix.config import ConfigError, Settings
from dlfix.rules.base import Finding, Rule
from dlfix.source.discovery import Patterns
from dlfix.validation import nearest

# What goes wrong only where objects are pickled: no matter for a program that always forks.
ONLY_PICKLED = (
    "DLF101", "DLF102", "DLF103", "DLF104", "DLF105", "DLF107",
    "DLF301", "DLF302", "DLF303", "DLF601",
)  # fmt: skip

# What goes wrong only where workers are forked.
ONLY_FORKED = ("DLF202", "DLF211")


def select(
    rules: Iterable[type[Rule]], settings: Settings, *, likely: bool = False
) -> list[type[Rule]]:
    """Return the rules in force, in order of code; raise ConfigError for a code nobody has.

    A code is a whole code, the start of one, or a rule's name. The longer one wins. Rules of what is
    only likely want to be named whole, unless `likely` asks for them.
    """
    known = sorted(rules, key=lambda rule: rule.code)
    said = [*settings.select, *settings.extend_select, *settings.ignore]
    said += [*settings.fixable, *settings.unfixable]
    said += [code for codes in settings.per_file_ignores.values() for code in codes]
    for code in said:
        _refuse_unknown(code, known)
    return [rule for rule in known if _wanted(rule, settings, likely)]


def _refuse_unknown(code: str, known: Sequence[type[Rule]]) -> None:
    if code == "ALL" or any(matches(code, rule) for rule in known) or code == "DLF":
        return
    names = [rule.code for rule in known] + [rule.name for rule in known]
    raise ConfigError(f"unknown rule `{code}`{nearest(code, names)}")


def matches(code: str, rule: type[Rule]) -> bool:
    """Return whether `code`, as a person writes it, stands for this rule."""
    return code == "ALL" or code == rule.name or rule.code.startswith(code.upper())


def _weight(codes: Iterable[str], rule: type[Rule]) -> int:
    weights = (99 if code == rule.name else 0 if code == "ALL" else len(code) for code in codes
               if matches(code, rule))  # fmt: skip
    return max(weights, default=-1)


def _wanted(rule: type[Rule], settings: Settings, likely: bool) -> bool:
    if settings.target_start_methods == ("fork",) and rule.code in ONLY_PICKLED:
        return False
    if "fork" not in settings.target_start_methods and rule.code in ONLY_FORKED:
        return False
    chosen = _weight((*settings.select, *settings.extend_select), rule)
    if rule.severity == "likely" and not likely and chosen < len(rule.code):
        return False
    return chosen > _weight(settings.ignore, rule)


def fixable(rule: type[Rule], settings: Settings) -> bool:
    """Return whether the settings let a rule's findings be fixed; the longer code wins."""
    return _weight(settings.fixable, rule) > _weight(settings.unfixable, rule)


def excluded(settings: Settings, *, nested: bool = True) -> Callable[[Path], bool]:
    """Return a test of the files that their configuration leaves out; if `nested`, only one further down."""
    specs: dict[Path | None, Patterns] = {}

    def leaves_out(path: Path) -> bool:
        own = settings.of(path)
        if nested and own.file == settings.file:
            return False
        if own.file not in specs:
            specs[own.file] = Patterns((*own.exclude, *own.extend_exclude))
        return specs[own.file].match_file(_shown(path, own.root))

    return leaves_out


def per_file(settings: Settings) -> Callable[[Finding], bool]:
    """Return a test that a finding passes unless its file's patterns ignore its rule."""
    specs = [(Patterns([pattern]), codes) for pattern, codes in settings.per_file_ignores.items()]

    def keep(finding: Finding) -> bool:
        shown = _shown(finding.place.path, settings.root)
        return not any(
            spec.match_file(shown) and any(matches(code, finding.rule) for code in codes)
            for spec, codes in specs
        )

    return keep


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
