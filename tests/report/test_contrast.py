"""The text of the HTML report has enough contrast, by the formula of WCAG 2."""

from __future__ import annotations

import re
from importlib import resources

import pytest

PAGE = resources.files("dlfix.report").joinpath("page.html").read_text(encoding="utf-8")
SCHEMES = dict(zip(("light", "dark"), re.findall(r":root \{(.*?)\}", PAGE, re.DOTALL), strict=True))
SHADED = ("paper", "card", "code", "bad-soft", "good-soft", "warn-soft")
ON = {
    "ink": SHADED,
    "dim": ("paper", "card", "code", "bad-soft"),  # a place in a shaded box of the picture
    "link": ("paper", "card"),
    "bad": ("paper", "card", "code", "bad-soft"),
    "good": ("paper", "card", "good-soft"),
    "warn": ("paper", "card", "warn-soft"),
    **dict.fromkeys(("kw", "str", "num", "com"), ("code", "bad-soft", "good-soft")),
}
PAIRS = [(front, back) for front, backs in ON.items() for back in backs]


def colors(scheme: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]+);", SCHEMES[scheme]))


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    parts = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_has_the_contrast_of_the_standard():
    assert contrast("#000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("front", "back"), PAIRS, ids=[f"{f} on {b}" for f, b in PAIRS])
def test_text_can_be_read(scheme, front, back):
    known = colors(scheme)
    assert contrast(known[front], known[back]) >= 4.5


def test_every_color_of_text_is_tested():
    used = set(re.findall(r"(?<![\w-])(?:color|fill): var\(--([\w-]+)\)", PAGE))
    assert used - set(SHADED) <= set(ON)
