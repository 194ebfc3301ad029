"""What only other scripts of the project run is in the way of no fix."""

import pytest

from tests.fixing.proof.pairs import opened

RUNS = "\nif __name__ == '__main__':\n    main()\n"
MOVES = "import os\n\ndef main():\n    os.chdir('/')\n"
HELPED = f"from helper import main\n{RUNS}"


@pytest.mark.parametrize(
    "others",
    [
        {"script": MOVES + RUNS},
        {"script": HELPED, "helper": MOVES},
        {"script": "import importlib\nimportlib.import_module('kinds.' + NAME)\n" + MOVES + RUNS},
        {"script": "# instantiate what was located\n" + MOVES + RUNS},
    ],
    ids=[
        "a script",
        "a module that a script imports",
        "imports from another package by name",
        "words of a comment",
    ],
)
def test_another_script_may_change_its_directory(others):
    assert opened(**others) == []


@pytest.mark.parametrize(
    "others",
    [
        {"script": MOVES},
        {"script": "import main as rows\n" + MOVES + RUNS},
        {"script": "from data.lib import Rows\n" + MOVES + RUNS},
        {"script": "import library.main\n" + MOVES + RUNS},
        {"script": "import importlib\nimportlib.import_module(NAME)\n" + MOVES + RUNS},
        {"script": "import importlib\nimportlib.import_module('main')\n" + MOVES + RUNS},
        {"script": "import importlib\nimportlib.import_module('ma' + NAME)\n" + MOVES + RUNS},
        {"script": HELPED, "helper": MOVES, "train": "import main, helper\n"},
        {"script": HELPED, "helper": "import main\n" + MOVES},
    ],
    ids=[
        "no script",
        "imports it",
        "names its class",
        "imports what is called so from nowhere",
        "imports by name",
        "imports it by name",
        "imports by a name of which little is known",
        "helps both",
        "imports it through another",
    ],
)
def test_a_script_of_the_same_program_may_not(others):
    assert "after the working directory changed" in opened(**others)[0]
