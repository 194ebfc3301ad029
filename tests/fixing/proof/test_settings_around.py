"""Settings that hold for a while: what opened by one must not open by another later."""

import pytest

from tests.fixing.proof.pairs import opened

TEXT = {
    "init": "self.path = path\nself.file = open(path)",
    "opener": "return open(self.path)",
}
IMAGE = {
    "init": "self.path = path\nself.file = Image.open(path)",
    "opener": "return Image.open(self.path)",
    "decorator": "from PIL import Image\nimport locale\nimport warnings\n",
}
WHILE = """
def main(path):
    {first}
    rows = Rows(path)
    {last}
    return DataLoader(rows, num_workers=2)
"""
LIMIT = (
    "limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None",
    "Image.MAX_IMAGE_PIXELS = limit",
)
LOCALE = ("locale.setlocale(locale.LC_ALL, 'C')", "locale.setlocale(locale.LC_ALL, '')")
STRICT = """
def main(path):
    with warnings.catch_warnings():
        warnings.simplefilter({kind!r})
        rows = Rows(path)
    return DataLoader(rows, num_workers=2)
"""


def reasons(program, **parts):
    parts.setdefault("decorator", IMAGE["decorator"])
    return [each for each in opened(program=program, **parts) if "which is set for a while" in each]


def between(first, last):
    return WHILE.format(first=first, last=last)


def test_a_limit_that_is_lifted_for_the_constructor_is_a_reason():
    assert reasons(between(*LIMIT), **IMAGE)


def test_a_locale_that_is_set_back_is_a_reason_for_a_text():
    assert reasons(between(*LOCALE), **TEXT)


@pytest.mark.parametrize("how", ["'rb'", "encoding='utf-8'"])
def test_a_locale_is_none_for_bytes_or_a_known_encoding(how):
    parts = {
        "init": f"self.path = path\nself.file = open(path, {how})",
        "opener": f"return open(self.path, {how})",
    }
    assert not reasons(between(*LOCALE), **parts)


def test_a_setting_that_stays_is_none():
    assert not reasons(between("Image.MAX_IMAGE_PIXELS = None", "pass"), **IMAGE)


def test_a_setting_that_the_opener_does_not_go_by_is_none():
    assert not reasons(between(*LIMIT), **TEXT)


def test_warnings_that_raise_in_a_block_are_a_reason():
    assert reasons(STRICT.format(kind="error"), **IMAGE)


def test_warnings_that_are_hidden_in_a_block_are_none():
    assert not reasons(STRICT.format(kind="ignore"), **IMAGE)
