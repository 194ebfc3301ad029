"""Encodings: all of Python's are read as Python does, and those that keep every byte are written."""

import codecs
import encodings
import pkgutil

import pytest

from dlfix.source.text import SourceError, decode
from tests.odd.conftest import PROGRAM

NAMES = sorted(one.name for one in pkgutil.iter_modules(encodings.__path__))
REFUSED = ("punycode", "idna", "undefined", "aliases", "mbcs", "oem")


@pytest.mark.parametrize("name", NAMES)
def test_bytes_come_back_or_the_file_is_not_written(tmp_path, name):
    data = f"# coding: {name}\nx = 1  # \\u00e9\n".encode()
    try:
        source = decode(tmp_path / "a.py", data)
    except SourceError:
        known = name not in REFUSED and codecs.lookup(name)._is_text_encoding
        assert not known or not name.startswith(("utf_8", "cp12", "iso8859", "latin"))
        return
    if source.unwritable is None:
        assert source.encode(source.text) == data
        assert source.encode(source.text + "y\n") == data + b"y\n"
    else:
        with pytest.raises(
            SourceError, match="the file is not byte-identical after decoding and encoding it as"
        ):
            source.encode(source.text)


@pytest.mark.parametrize("name", ["unicode_escape", "raw_unicode_escape", "utf-7", "hz"])
def test_what_cannot_be_written_back_is_read_and_not_rewritten(world, name):
    # an encoding that reads `\n` in a text as a line end leaves that statement out
    path = world.write("a.py", f"# coding: {name}\n{PROGRAM}".encode())
    before = path.read_bytes()
    result = world.run("apply")
    assert path.read_bytes() == before
    assert "the file is not byte-identical after decoding and encoding it as" in " ".join(
        result.stdout.split()
    )


@pytest.mark.parametrize("name", ["latin-1", "cp1252", "shift_jis", "euc_kr", "gb18030", "koi8-r"])
def test_what_is_outside_a_fix_keeps_its_bytes(world, name):
    word = {"shift_jis": "日本", "euc_kr": "한국", "gb18030": "中国", "koi8-r": "мир"}.get(
        name, "é"
    )
    line = f"# {word}\n".encode(name)
    path = world.write("a.py", f"# coding: {name}\n".encode() + line + PROGRAM.encode())
    world.run("apply", "-q")
    assert line in path.read_bytes()
    assert b"cached_property" in path.read_bytes()


def test_a_byte_order_mark_stays(world):
    path = world.write("a.py", b"\xef\xbb\xbf# coding: utf-8\n" + PROGRAM.encode())
    world.run("apply", "-q")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf# coding: utf-8\n")
    assert b"cached_property" in path.read_bytes()
