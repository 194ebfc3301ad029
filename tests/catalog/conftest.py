from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full-catalog",
        action="store_true",
        help="also build the objects of libraries that the quick run leaves out",
    )
