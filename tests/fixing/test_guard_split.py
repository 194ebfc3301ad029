"""What of a script stays at import, and what goes under the main guard."""

from __future__ import annotations

import ast
import textwrap

import pytest

from dlfix.fixing.guard_split import Division, divide
from dlfix.fixing.plans import Refused
from dlfix.project.import_time import Touched


def moved(source: str, **worker_reads: str) -> list[str]:
    text = textwrap.dedent(source)
    division = divide(ast.parse(text), text, worker_reads)
    assert isinstance(division, Division), division
    return [ast.unparse(s).splitlines()[0] for unit in division.move for s in unit.statements]


def reason(source: str, **worker_reads: str) -> str:
    text = textwrap.dedent(source)
    division = divide(ast.parse(text), text, worker_reads)
    assert isinstance(division, Refused)
    return division.reason


def test_imports_definitions_and_the_docstring_stay() -> None:
    assert moved('"""Doc."""\nimport a\nfrom b import c\ndef f(): ...\nclass D: ...\nf()') == [
        "f()"
    ]


def test_code_of_the_project_that_gets_what_a_worker_cannot_make_sets_up_no_library() -> None:
    source = "import own\nown.use_half()\nmodel = own.load()\nown.use_vgg(model)\nfit(model)"

    def followed(call: ast.Call) -> Touched:
        once = "calls `print`" if "load" in ast.unparse(call) else ""
        return Touched(once=once, is_followed="own" in ast.unparse(call))

    division = divide(ast.parse(source), source, {}, followed)
    assert isinstance(division, Division)
    assert [ast.unparse(unit.first) for unit in division.stay] == ["import own", "own.use_half()"]
    source = "import own\nmodel = own.load()\nown.use_half()"
    division = divide(ast.parse(source), source, {}, followed)
    assert isinstance(division, Division)
    assert [ast.unparse(unit.first) for unit in division.stay] == ["import own"]


def test_an_import_that_may_fail_stays() -> None:
    assert moved("try:\n    import a\nexcept ImportError:\n    a = None\nrun()") == ["run()"]


def test_an_import_for_the_type_checker_stays() -> None:
    assert moved("if TYPE_CHECKING:\n    import a\nrun()") == ["run()"]


def test_constants_at_the_top_stay() -> None:
    assert moved("import a\nepochs = 3\nrate = -0.5\nfor e in range(epochs): a.run(rate)") == [
        "for e in range(epochs):"
    ]


def test_a_constant_that_is_changed_later_moves_with_what_changes_it() -> None:
    assert moved("total = 0\nfor i in range(3):\n    total += i\n") == [
        "total = 0",
        "for i in range(3):",
    ]


def test_a_list_that_is_filled_later_moves_with_what_fills_it() -> None:
    assert moved("rows = []\nrows.append(load())") == ["rows = []", "rows.append(load())"]


def test_a_constant_that_a_function_reads_stays_wherever_it_is() -> None:
    assert moved("go()\nlimit = 3\ndef f():\n    return limit\nf()") == ["go()", "f()"]


def test_a_name_in_capitals_stays_with_what_it_is_made_of() -> None:
    assert moved(
        "import os\nROOT = os.path.dirname(__file__)\nMAPS = os.path.join(ROOT, 'm')\ngo()"
    ) == ["go()"]


def test_a_name_in_capitals_made_of_what_moves_moves() -> None:
    assert moved("args = parse()\nN = args.n\ngo(N)") == ["args = parse()", "N = args.n", "go(N)"]


def test_settings_of_libraries_stay() -> None:
    source = """
        import os, sys, warnings, cv2, matplotlib
        from PIL import ImageFile
        os.environ["OMP_NUM_THREADS"] = "1"
        sys.path.insert(0, "..")
        warnings.filterwarnings("ignore")
        matplotlib.use("Agg")
        cv2.setNumThreads(0)
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        go()
    """
    assert moved(source) == ["go()"]


OPTIONS = """
    import os, random
    from options import read
    opt = read()
    opt.seed = random.randint(1, 9)
    def show(): print(opt)
    os.environ["CUDA_VISIBLE_DEVICES"] = "%d" % opt.gpu
    {later}
    show()
"""


def test_the_environment_which_workers_inherit_moves_with_what_runs_once() -> None:
    assert "os.environ['CUDA_VISIBLE_DEVICES'] = '%d' % opt.gpu" in moved(OPTIONS.format(later=""))


def test_the_environment_stays_above_an_import_that_may_read_it() -> None:
    assert "`opt`" in reason(OPTIONS.format(later="import torch"))


def test_seeds_and_the_start_method_move() -> None:
    source = """
        import random, torch, multiprocessing as mp
        random.seed(0)
        torch.manual_seed(0)
        mp.set_start_method("spawn")
    """
    assert len(moved(source)) == 3


def test_how_arrays_are_printed_moves_with_what_prints_them() -> None:
    assert len(moved("import numpy as np\nnp.set_printoptions(precision=2)\ngo()")) == 2


def test_a_half_guard_moves_too() -> None:
    assert moved("if __name__ == '__main__':\n    f()\ngo()") == [
        "if __name__ == '__main__':",
        "go()",
    ]


def test_what_a_worker_reads_stays_with_all_that_it_needs() -> None:
    source = """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--n")
        args = parser.parse_args()
        width = args.n * 2
        other = args.n * 3
        go(other)
    """
    assert moved(source, width="`f`") == ["other = args.n * 3", "go(other)"]


def test_what_a_base_class_or_decorator_needs_stays() -> None:
    source = """
        import lib
        register = lib.Registry("x")
        base = lib.make()
        other = lib.make()
        @register("clips")
        class Clips(base): ...
        go(other)
    """
    assert moved(source) == ["other = lib.make()", "go(other)"]


def test_what_a_function_called_at_import_reads_stays() -> None:
    source = """
        import lib
        table = lib.Table()
        def register(f):
            table.add(f)
            return f
        @register
        def f(): ...
        go()
    """
    assert moved(source) == ["go()"]


def test_a_check_that_ends_the_program_stays_before_what_relies_on_it() -> None:
    source = """
        import sys
        if len(sys.argv) < 2:
            sys.exit("usage")
        path = sys.argv[1]
        go(path)
    """
    assert moved(source, path="`f`") == ["go(path)"]


def test_a_check_that_ends_the_program_moves_where_nothing_relies_on_it() -> None:
    source = "import sys\nif len(sys.argv) < 2:\n    sys.exit('usage')\ngo()"
    assert len(moved(source)) == 2


def test_statements_on_one_line_stay_together() -> None:
    assert moved("import a; a.go()\nb()") == ["import a", "a.go()", "b()"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("random.random()", "calls `random.random`"),
        ("torch.rand(3)", "calls `torch.rand`"),
        ("input()", "calls `input`"),
        ("open('log', 'w')", "opens a file for writing"),
        ("make()", "calls `make`, which calls `print`"),
    ],
)
def test_a_value_that_differs_in_each_process_cannot_stay(value: str, why: str) -> None:
    source = f"import random, torch\ndef make():\n    print('hi')\nx = {value}\ngo(x)"
    assert reason(source, x="`Clips.__getitem__` (line 9)") == (
        "`Clips.__getitem__` (line 9) requires `x` in the worker, but the statement that sets it"
        f" cannot run again in the worker because it {why} (line 4)"
    )


def test_a_name_that_the_guard_sets_cannot_stay() -> None:
    why = reason("if __name__ == '__main__':\n    x = 1\ngo()", x="`f`")
    assert "`f` requires `x` in the worker" in why
    assert "is already under the main guard" in why


def test_a_function_that_sets_a_global_counts_as_setting_it() -> None:
    source = (
        "import random\nx = 0\ndef setup():\n    global x\n    x = random.random()\nsetup()\ngo()"
    )
    assert "random.random` (line 6)" in reason(source, x="`f`")


def test_a_function_defined_anew_after_its_use_is_refused() -> None:
    source = "def f(): return 1\ngo(f())\ndef f(): return 2\ngo(f())"
    assert reason(source) == (
        "`f` is reassigned (line 3) after a statement that would move below it (line 2)"
    )


def test_a_module_of_definitions_only_has_nothing_to_move() -> None:
    assert reason("import a\ndef f(): ...") == "no statement can be moved under a main guard"


def test_a_text_that_stands_alone_goes_with_the_statement_below_it() -> None:
    source = """
        start()
        'About the name.'
        NAME = 'a'
        def f(): return NAME
        'About the run.'
        f()
    """
    assert moved(source) == ["start()", "'About the run.'", "f()"]


def test_what_is_printed_is_printed_by_the_parent_alone() -> None:
    source = """
        import a
        print('loading')
        words = a.Words('x')
        run()
    """
    assert moved(source, words="`worker`") == ["print('loading')", "run()"]


def test_a_setting_of_the_process_keeps_its_place_among_what_moves() -> None:
    source = """
        import os, lib
        logger = lib.Logger()
        os.environ["PROXY"] = "p"
        logger.log()
    """
    assert len(moved(source)) == 3


def test_a_setting_stays_above_what_does_not_go_by_it() -> None:
    source = """
        import argparse, os, cv2, warnings
        parser = argparse.ArgumentParser()
        args = parser.parse_args()
        cv2.setNumThreads(0)
        warnings.filterwarnings("ignore")
        go(args)
    """
    assert moved(source)[-2:] == ["warnings.filterwarnings('ignore')", "go(args)"]
    assert "cv2.setNumThreads(0)" not in moved(source)


def test_a_setting_that_workers_go_by_is_not_made_before_what_may_go_by_it() -> None:
    source = (
        "import lib, torch\nmodel = lib.build()\ntorch.set_default_dtype(torch.half)\nrun(model)"
    )
    assert reason(source) == (
        "the setting must be made on import (line 3), but a statement above it that may depend on it "
        "cannot run on import (line 2)"
    )


def test_the_end_of_a_script_moves_as_it_stands() -> None:
    source = """
        import sys
        def load(): ...
        first = sys.argv[1]
        import json
        OUT = sys.argv[2]
        epochs = 3
        json.dump(load(), first, OUT, epochs)
    """
    assert len(moved(source)) == 5


def test_an_import_that_a_function_uses_or_nothing_names_stays() -> None:
    source = "import a\na.go()\nimport b\nimport hdf5plugin\nimport c\ndef f(): b.x\nf(c)"
    assert moved(source) == ["a.go()", "f(c)"]
    source = "import a\ndef f(): b.x\na.go()\nimport b\nimport plugin\nimport c\nf(c)"
    assert moved(source) == ["a.go()", "import c", "f(c)"]


def test_a_table_that_is_computed_above_a_function_stays() -> None:
    source = """
        import lib, numpy as np
        if lib.is_server():
            ROOT = lib.extract()
        def entry(name, size=4): return dict(name=name, size=size * 2)

        table = [entry("a"), entry("b", size=8)]

        remap = np.ones(4) * 255
        for i, x in enumerate([1, 2]):
            remap[x] = i

        def run(each): ...
        for each in table: run(each)
    """
    assert moved(source) == ["if lib.is_server():", "for each in table:"]


def test_a_constant_beside_what_moves_goes_with_it() -> None:
    source = "import a\na.go()\n\ns = 1.0\nb = a.jitter(0.8 * s)\n\ndef run(): ...\nrun()"
    assert "s = 1.0" in moved(source)


def test_a_module_is_not_another_once_its_environment_is_set() -> None:
    source = """
        import os, lib
        PATH = os.path.join("a", "b")
        def seed():
            os.environ["PYTHONHASHSEED"] = "0"
            print("seeded")
        seed()
        class Clips(lib.Base):
            root = os.path.dirname(PATH)
        go()
    """
    assert moved(source) == ["seed()", "go()"]


def test_what_changes_a_name_below_a_definition_is_not_needed_by_it() -> None:
    source = """
        class Config: size = 3
        def read(config=Config): return config.size
        for size in (1, 2):
            Config.size = size
            print(read())
    """
    assert moved(source) == ["for size in (1, 2):"]
    assert "calls `print`" in reason(source, Config="`Clips.__getitem__` (line 9)")


def test_a_setting_stays_where_a_constant_below_goes_by_it() -> None:
    source = """
        import os, lib
        go()
        os.environ["HOME"] = "p"
        {constant}
        class Clips:
            def get(self): return ROWS
        go()
    """
    assert len(moved(source.format(constant="ROWS = 3"), ROWS="`f`")) == 3
    assert "may depend on it" in reason(source.format(constant="ROWS = lib.load()"), ROWS="`f`")


@pytest.mark.parametrize(
    ("value", "is_kept"), [("Path('x') / 'y'", True), ("Path('x')", True), ("lib.Folder()", False)]
)
def test_a_path_is_the_same_once_its_folder_is_made(value: str, is_kept: bool) -> None:
    source = f"import lib\nfrom pathlib import Path\nout = {value}\nout.mkdir(exist_ok=True)\ngo()"
    if is_kept:
        assert moved(source, out="`f`") == ["out.mkdir(exist_ok=True)", "go()"]
    else:
        assert "calls `out.mkdir`" in reason(source, out="`f`")


def test_a_path_of_the_current_folder_stays_with_what_changes_that() -> None:
    source = "import os\nos.chdir('a')\nROOT = os.path.abspath('b')\nprint(1)\ngo(ROOT)"
    assert len(moved(source)) == 4
    assert moved(source, ROOT="`f`") == ["print(1)", "go(ROOT)"]


def test_functions_that_compute_may_be_called_again() -> None:
    source = "import torch.nn.functional as F\nprint(1)\neye = F.{name}(3)\ngo()"
    assert "eye = F.one_hot(3)" not in moved(source.format(name="one_hot"), eye="`f`")
    assert "calls `F.dropout`" in reason(source.format(name="dropout"), eye="`f`")


def test_a_logger_that_logs_is_the_same_afterwards() -> None:
    source = """
        import logging
        log = logging.getLogger(__name__)
        def load(x): log.info(x)
        print("loading")
        load(1)
    """
    assert moved(source, log="`load`") == ["print('loading')", "load(1)"]


def test_a_limit_is_set_in_the_workers_whatever_runs_above_it() -> None:
    source = (
        "import lib\nfrom PIL import Image\ngo(lib.make())\nImage.MAX_IMAGE_PIXELS = None\ngo(1)"
    )
    assert moved(source) == ["go(lib.make())", "go(1)"]


def test_an_import_of_own_code_which_may_set_up_something_stays() -> None:
    source = "import a\na.go()\nimport own\nimport b\nown.go(b)"
    division = divide(ast.parse(source), source, {}, is_own=lambda name: name == "own")
    assert isinstance(division, Division)
    assert [ast.unparse(unit.first) for unit in division.stay] == ["import a", "import own"]


def test_what_a_value_in_a_worker_was_made_of_stays_as_it_is_set_later() -> None:
    source = """
        import lib
        cfg = lib.Config()
        SIZES = cfg.sizes
        cfg.sizes.append(3)
        def f(): return SIZES
        go()
    """
    assert moved(source, SIZES="`f`") == ["go()"]


@pytest.mark.parametrize("gap", ["", "\n"])
def test_a_setting_that_no_import_goes_by_may_move_below_it(gap: str) -> None:
    setting = "warnings.filterwarnings('ignore')"
    source = (
        f"import os, warnings, lib\nlib.go()\n{setting}\n{gap}import torch\ndef f(): torch.x\nf()"
    )
    assert setting in moved(source)
    setting = "os.environ['PYTHONHASHSEED'] = '0'"
    source = f"import os, lib\nlib.go()\n{gap}{setting}\n{gap}import torch\ndef f(): torch.x\nf()"
    assert (setting in moved(source)) == (not gap)
    kept = "import os, lib\nlib.go()\nos.environ['A'] = '0'\nimport torch\ndef f(): torch.x\nf()"
    assert "must be made on import" in reason(kept)


@pytest.mark.parametrize(
    ("block", "is_kept"),
    [
        ("lr = 0.1\nEPOCHS = 3", True),  # only constants
        ("lr = 0.1\nmodel = a.make()", False),
        ("model = a.make()\nlr = 0.1", False),
        ("lr = 0.1\nWIDTH = 3\nmodel = a.make()", True),  # `WIDTH` belongs at module level
        ("lr = 0.1\nshown = 3\nmodel = a.make()", True),  # `shown` has to stay
        ("shown = 3\nmodel = a.make()\nlr = 0.1", False),
        ("# how fast\nlr = 0.1\n# the model\nmodel = a.make()", False),
        ("lr = 0.1\n\nmodel = a.make()", True),
    ],
)
def test_a_constant_stays_or_moves_with_its_paragraph(block: str, is_kept: bool) -> None:
    source = f"import a\na.start()\n\n{block}\n\ndef show(): print(shown)\nshow()\na.run(lr)"
    assert ("lr = 0.1" not in moved(source)) == is_kept


@pytest.mark.parametrize("marker", ["# %%", "#%% a", "# In[3]:", "# <codecell>"])
def test_a_cell_moves_as_a_whole(marker: str) -> None:
    source = f"""
import a
a.start()

{marker}
import b

epochs = 3

a.go(b, epochs)

{marker}
import c

size = 4

{marker}
def f(): ...
a.end(c, size)
"""
    assert moved(source)[1:-1] == ["import b", "epochs = 3", "a.go(b, epochs)"]
    apart = moved(source.replace(marker, "# a comment"))
    assert apart == ["a.start()", "a.go(b, epochs)", "a.end(c, size)"]


@pytest.mark.parametrize(
    ("reader", "is_kept"),
    [("", True), ("def f(): return rate\n", False), ("half = rate / 2\n", True)],
)
def test_a_constant_that_only_the_script_changes_stays_in_its_paragraph(
    reader: str, is_kept: bool
) -> None:
    source = f"import a\n\nepochs = 3\nrate = 0.1\n\nfor e in range(epochs):\n    rate /= a.run(e)\n{reader}"
    assert ("rate = 0.1" not in moved(source)) == is_kept


@pytest.mark.parametrize(
    ("above", "is_kept"),
    [
        ("os.environ['GPU'] = '1'", True),
        ("args = parse()\nos.environ['GPU'] = args.gpu", False),
        ("model = torch.load('x')\nos.environ['GPU'] = '1'", False),
        ("def choose(gpu): os.environ['GPU'] = gpu\nchoose(input())", False),
        ("args = parse()", True),
    ],
)
def test_a_device_is_chosen_above_the_guard_if_what_it_goes_by_is_set_there(
    above: str, is_kept: bool
) -> None:
    device = "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')"
    source = f"import os, torch\n{above}\n\n{device}\n\ndef f(): ...\ntorch.run(device)"
    assert (device not in moved(source)) == is_kept


@pytest.mark.parametrize(
    "install",
    [
        'os.system("pip install pack")',
        'subprocess.check_call([sys.executable, "-m", "pip", "install", "pack"])',
        'def fetch(name): subprocess.run(["conda", "install", name])\nfetch("pack")',
    ],
)
def test_what_installs_packages_is_not_moved_below_an_import(install: str) -> None:
    source = f"import os, subprocess, sys\n{install}\nimport pack\ndef f(): pack.g()\nrun(f)"
    assert "requires the installed packages" in reason(source)


def test_other_commands_are_moved_below_an_import() -> None:
    source = 'import os\nos.system("ls")\nimport pack\ndef f(): pack.g()\nrun(f)'
    assert moved(source) == ["os.system('ls')", "run(f)"]
