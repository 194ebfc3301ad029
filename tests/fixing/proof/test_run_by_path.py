"""A script that other code runs from its file has another name there, and its guard does not hold."""

from __future__ import annotations

import pytest

from tests.fixing.proof.pairs import worse

BEFORE = "limit = 3\nresult = list(DataLoader([limit], num_workers=2))\n"
AFTER = 'if __name__ == "__main__":\n    limit = 3\n    result = list(DataLoader([limit], num_workers=2))\n'
HEAD = "import functools, importlib, importlib.util, os, pathlib, runpy, sys\n\n"

RUN = {
    "a name of some": "for n in ['main.py', 'other.py']:\n    runpy.run_path(str(pathlib.Path('x') / n))\n",
    "a joined name": "def go(root):\n    return runpy.run_path(os.path.join(root, 'main.py'))['result']\n",
    "a path that is not known": "runpy.run_path(sys.argv[1])\n",
    "the name of the module": "runpy.run_module('main')\n",
    "any module": "runpy.run_module(sys.argv[1])\n",
    "the text of a file": "exec(pathlib.Path('main.py').read_text(), {})\n",
    "code of a file": "with open(sys.argv[1]) as f:\n    exec(compile(f.read(), 'x', 'exec'), {})\n",
    "code of a path": "source = read()\nexec(compile(source, 'stages/main.py', 'exec'), {})\n",
    "a loader": "spec = importlib.util.spec_from_file_location('m', 'stages/main.py')\n",
    "code that gets the function": "def go(pool, paths):\n    return pool.map(runpy.run_path, paths)\n",
    "an import by name": "result = importlib.import_module('main').result\n",
}
NOT_RUN = {
    "as the main module": "runpy.run_path('main.py', run_name='__main__')\n",
    "by exec as the main module": "exec(open('main.py').read(), {'__name__': '__main__'})\n",
    "by a partial": "run = functools.partial(runpy.run_path, run_name='__main__')\n",
    "another file": "def go(root):\n    runpy.run_path(os.path.join(root, 'setup.py'))\n",
    "another module": "runpy.run_module('tools.other')\n",
    "a text": "def go(text):\n    exec(text, {})\n    exec(compile(text, '<made>', 'exec'), {})\n",
    "a version": "exec(open('version.py').read(), {})\n",
    "a loader of any file": "spec = importlib.util.spec_from_file_location('m', sys.argv[1])\n",
}


def refused(code: str) -> bool:
    reasons = worse(BEFORE, AFTER, other=HEAD + code)
    return any("under the main guard does not run" in each for each in reasons)


@pytest.mark.parametrize("code", RUN.values(), ids=RUN)
def test_a_guard_keeps_what_others_run_from_running(code):
    assert refused(code)


@pytest.mark.parametrize("code", NOT_RUN.values(), ids=NOT_RUN)
def test_a_guard_is_fine_where_others_run_other_files(code):
    assert not refused(code)
