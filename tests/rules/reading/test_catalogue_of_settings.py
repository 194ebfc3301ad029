"""The catalogue's settings of libraries: programs whose workers lack one, and programs close to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

_PROGRAM = """
        import csv, decimal, locale, socket, sqlite3, sys, urllib.request, warnings
        import boto3, fsspec, gymnasium, jieba, nltk, numcodecs, yaml, zarr
        import numpy as np
        from decimal import Decimal, localcontext
        from omegaconf import OmegaConf
        from osgeo import gdal
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            kind = "Maze-v0"
            def __init__(self, path):
                self.path = path
                self.key = "Maze-v0"
            def __getitem__(self, i):
                {read}
        def main(args=None):
            {sets}  # {mark}
            for batch in DataLoader(Rows("rows"), num_workers=2):
                print(batch)
        if __name__ == "__main__":
            main()
"""
_QUANTIZE = "return Decimal(self.path).quantize(Decimal('0.01'))"
_HALF_UP = "decimal.getcontext().rounding = decimal.ROUND_HALF_UP"
_RAISE = "np.seterr(all='raise')"
_DIVIDE = "try: return np.log(i)\n                except FloatingPointError: return 0"
_MAZE = "gymnasium.register('Maze-v0', 'maze:Maze')"
_ERRORS = "warnings.filterwarnings('error', category=RuntimeWarning)"
_HANDLE = "try: return np.log(i)\n                except {}: return 0"


def _case(what, sets, read, *, found):
    mark = "!DLF303" if found else "nothing"
    return program(what, _PROGRAM.format(sets=sets, read=read, mark=mark))


_FOUND = {
    "long fields": ("csv.field_size_limit(sys.maxsize)", "return list(csv.reader(self.path))"),
    "rounding": (_HALF_UP, _QUANTIZE),
    "rounding of a variable": (f"context = decimal.getcontext(); context.{_HALF_UP.partition('.')[2].partition('.')[2]}",
                               _QUANTIZE),
    "digits": ("decimal.getcontext().prec = 50", "return 1 / Decimal(i)"),
    "another context": ("decimal.setcontext(decimal.Context(prec=50))", "return Decimal(i).sqrt()"),
    "numbers that raise": (_RAISE, _DIVIDE),
    "warnings that raise": (_ERRORS, _HANDLE.format("RuntimeWarning")),
    "one of more": (_ERRORS, _HANDLE.format("(ValueError, RuntimeWarning)")),
    "converters": ("sqlite3.register_converter('point', tuple)",
                   "return sqlite3.connect(self.path, detect_types=sqlite3.PARSE_DECLTYPES).execute('select 1').fetchone()"),
    "adapters": ("sqlite3.register_adapter(np.int64, int)",
                 "return sqlite3.connect(self.path).execute('select ?', (np.int64(i),)).fetchone()"),
    "a locale": ("locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')", "return locale.atof(self.path)"),
    "a constructor": ("yaml.SafeLoader.add_constructor('!p', str)", "return yaml.safe_load(self.path)"),
    "words": ("jieba.add_word('x')", "return jieba.lcut(self.path)"),
    "an environment": (_MAZE, "return gymnasium.make('Maze-v0')"),
    "an environment of an attribute": (_MAZE, "return gymnasium.make(self.key)"),
    "a protocol": ("fsspec.register_implementation('ours', object)", "return fsspec.open('ours://x')"),
    "a codec": ("numcodecs.register_codec(object)", "return zarr.open(self.path)[i]"),
    "a session": ("boto3.setup_default_session(region_name='eu-west-1')", "return boto3.client('sqs').list_queues()"),
    "an opener": ("urllib.request.install_opener(urllib.request.build_opener())",
                  "return urllib.request.urlopen(self.path).read()"),
    "a folder of data": ("nltk.data.path.append('nltk')", "return nltk.word_tokenize(self.path)"),
    "a time limit": ("socket.setdefaulttimeout(5)",
                     "try: return urllib.request.urlopen(self.path).read()\n                except TimeoutError: return b''"),
    "a resolver": ("OmegaConf.register_new_resolver('twice', abs)", "return OmegaConf.resolve(self.path)"),
}  # fmt: skip
_SILENT = {
    "the limit is asked for": ("csv.field_size_limit()", "return list(csv.reader(self.path))"),
    "the parent reads rows of its own": ("csv.field_size_limit(9**9); list(csv.reader('x'))", "return list(csv.reader(self.path))"),
    "an argument has the rounding": (_HALF_UP, "return Decimal(i).quantize(Decimal(1), decimal.ROUND_DOWN)"),
    "a keyword has it": (_HALF_UP, "return Decimal(i).quantize(Decimal(1), rounding=decimal.ROUND_DOWN)"),
    "the rounding that is there": ("decimal.getcontext().rounding = decimal.ROUND_HALF_EVEN", _QUANTIZE),
    "an own context": (_HALF_UP, f"with localcontext(): {_QUANTIZE}"),
    "another method of the name": (_HALF_UP, "return self.path.quantize(4)"),
    "sums": ("decimal.getcontext().prec = 50", "return Decimal(i) + 1"),
    "nobody handles it": (_RAISE, "return np.log(i)"),
    "nothing raises": ("np.seterr(all='ignore')", _DIVIDE),
    "it is as it was": ("old = np.seterr(all='raise'); np.seterr(**old)", _DIVIDE),
    "an own state": (_RAISE, f"with np.errstate(all='raise'):\n                  {_DIVIDE}".replace("\n                except", "\n                  except")),
    "other warnings": (_ERRORS, _HANDLE.format("UserWarning")),
    "warnings that are hidden": ("warnings.simplefilter('ignore')", _HANDLE.format("RuntimeWarning")),
    "it raises the warning": (_ERRORS, "try: raise RuntimeWarning\n                except RuntimeWarning: return 0"),
    "columns are not converted": ("sqlite3.register_converter('point', tuple)",
                                  "return sqlite3.connect(self.path).execute('select 1').fetchone()"),
    "the locale that is there": ("locale.setlocale(locale.LC_ALL, 'C')", "return locale.atof(self.path)"),
    "another loader": ("yaml.add_constructor('!p', str, Loader=yaml.SafeLoader)", "return yaml.full_load(self.path)"),
    "another environment": (_MAZE, "return gymnasium.make('CartPole-v1')"),
    "an unknown environment": (_MAZE, "return gymnasium.make(self.other)"),
    "another protocol": ("fsspec.register_implementation('ours', object)", "return fsspec.open('s3://x')"),
    "a region": ("boto3.setup_default_session(region_name='eu-west-1')", "return boto3.client('s3', region_name='x').list_queues()"),
    "a limit that the call has": ("socket.setdefaulttimeout(5)",
                                  "try: return urllib.request.urlopen(self.path, timeout=3).read()\n                except TimeoutError: return b''"),
}  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [_case(what, *parts, found=True) for what, parts in _FOUND.items()]
    + [_case(what, *parts, found=False) for what, parts in _SILENT.items()],
)
def test_settings_of_the_catalogue(tmp_path: Path, case: str) -> None:
    check(tmp_path, case)
