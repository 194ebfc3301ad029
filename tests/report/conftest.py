from tests.cli.conftest import dlfix  # noqa: F401
from tests.toy import toy  # noqa: F401
