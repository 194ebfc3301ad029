"""What a generated program may be made of: features with weighted options, the plainest first."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Spec = dict[str, str]

# In how many features a program may be other than plain: most fail already with two or three.
BOLDNESS = (0.2, 0.35, 1.0)
Options = Mapping[str, int]


@dataclass(frozen=True)
class Conflict:
    """Options of one feature that make no sense beside options of others, and what replaces them."""

    feature: str
    options: tuple[str, ...]
    to: str
    beside: Mapping[str, tuple[str, ...]]

    def settle(self, spec: Spec) -> None:
        """Replace the option where the conflict is there."""
        if spec[self.feature] in self.options and all(
            spec[name] in options for name, options in self.beside.items()
        ):
            spec[self.feature] = self.to


def conflict(feature: str, options: str, to: str, **beside: str) -> Conflict:
    """Make a conflict; options are names with spaces between them."""
    others = {name: tuple(names.split()) for name, names in beside.items()}
    return Conflict(feature, tuple(options.split()), to, others)


def but(options: Options, names: str) -> str:
    """Return all options except some."""
    return " ".join(option for option in options if option not in names.split())


@dataclass(frozen=True)
class Family:
    """A kind of program: its features, which choices contradict each other, how it is written."""

    name: str
    features: Mapping[str, Options]
    conflicts: Sequence[Conflict]  # in the order in which they are settled
    render: Callable[[Spec], dict[str, str]]

    def draw(self, rng: random.Random, wanted: Mapping[str, str] | None = None) -> Spec:
        """Draw one program's features; those that are wanted stay, where they make sense."""
        boldness = rng.choice(BOLDNESS)
        spec = {
            name: _pick(rng, options) if rng.random() < boldness else next(iter(options))
            for name, options in self.features.items()
        }
        spec.update(wanted or {})
        self.settle(spec)
        return spec

    def draw_few(self, rng: random.Random) -> Spec:
        """Draw a program that is other than plain in three to five features, whatever their weights."""
        spec = {name: next(iter(options)) for name, options in self.features.items()}
        for name in rng.sample(list(spec), rng.choice((3, 4, 5))):
            spec[name] = rng.choice(list(self.features[name]))
        self.settle(spec)
        return spec

    def pairs(self, spec: Spec) -> set[tuple[str, str, str, str]]:
        """Return the pairs of choices that are not plain."""
        odd = [(n, v) for n, v in spec.items() if v != next(iter(self.features[n]))]
        return {(*one, *other) for one, other in itertools.combinations(odd, 2)}

    def plainer(self, spec: Spec) -> list[Spec]:
        """Return the specs that are plainer in one feature."""
        found = []
        for name, options in self.features.items():
            plain = next(iter(options))
            if spec[name] == plain:
                continue
            less = {**spec, name: plain}
            self.settle(less)
            if less != spec and less not in found and self.weight(less) < self.weight(spec):
                found.append(less)
        return found

    def settle(self, spec: Spec) -> None:
        """Replace what makes no sense beside other choices."""
        for one in self.conflicts:
            one.settle(spec)

    def single(self, spec: Spec) -> list[Spec]:
        """Return the specs in which one feature of this one is all that is not plain."""
        plain = {name: next(iter(options)) for name, options in self.features.items()}
        found = []
        for name in plain:
            one = {**plain, name: spec[name]}
            self.settle(one)
            if one[name] == spec[name] != plain[name] and self.weight(one) < self.weight(spec):
                found.append(one)
        return found

    def every(self) -> list[Spec]:
        """Return the specs in which one option is all that is not plain, as far as that goes."""
        plain = {name: next(iter(options)) for name, options in self.features.items()}
        found = [plain]
        for name, options in self.features.items():
            for option in options:
                spec = {**plain, name: option}
                self.settle(spec)
                if spec[name] == option and spec not in found:
                    found.append(spec)
        return found

    def weight(self, spec: Spec) -> int:
        """Count the features that are not plain."""
        return sum(spec[name] != next(iter(options)) for name, options in self.features.items())

    def told(self, spec: Spec) -> str:
        """Name what is not plain."""
        odd = [
            f"{name}={spec[name]}"
            for name, options in self.features.items()
            if spec[name] != next(iter(options))
        ]
        return " ".join(odd) or "plain"


def _pick(rng: random.Random, options: Options) -> str:
    return rng.choices(list(options), list(options.values()))[0]


def families() -> dict[str, Family]:
    """Return all families by name."""
    from tests.differential import callables, files, guards, resources

    known = (resources.FAMILY, callables.FAMILY, guards.FAMILY, files.FAMILY)
    return {family.name: family for family in known}


def draw(seed: int, only: str | None = None) -> tuple[Family, Spec]:
    """Draw a program: the same for the same seed."""
    rng = random.Random(seed)
    drawn = family_of(rng)
    family = families()[only or drawn]
    return family, family.draw(rng)


def family_of(rng: random.Random) -> str:
    """Draw a family by its weight."""
    return _pick(rng, {"resources": 60, "callables": 30, "guards": 10})


def indented(lines: list[str], depth: int) -> list[str]:
    """Indent lines of code."""
    return ["    " * depth + line if line else line for line in lines]
