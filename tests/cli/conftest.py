"""The command line through typer's runner, in the toy world."""

import pytest
from typer.testing import CliRunner

from dlfix.cli import app
from tests.toy import toy  # noqa: F401


@pytest.fixture
def dlfix(toy):  # noqa: F811
    """Run dlfix; the answer has exit_code, stdout, stderr."""
    runner = CliRunner()

    def run(*arguments, input=None):
        return runner.invoke(app, [str(argument) for argument in arguments], input=input)

    run.folder = toy
    return run
