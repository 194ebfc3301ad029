"""A client that reads the environment is not made later where the program changes what it reads."""

import pytest

from tests.fixing.proof.pairs import opened

HEAD = "import boto3\nimport psycopg2\nimport os as system\nfrom os import environ as variables\nfrom unittest import mock\n"
SETS = "    os.environ['AWS_DEFAULT_REGION'] = 'eu-central-1'\n"
MAKES = "    rows = Rows('a')\n"
CLEANS = "def clean():\n    {sets}\n\ndef main():\n    rows = Rows('a')\n    clean()\n\nmain()\n"


def late(program, made="boto3.client('s3')", later=None, **others):
    reasons = opened(
        decorator=HEAD,
        init=f"self.path = path\nself.file = {made}",
        opener=f"return {later or made}",
        program=program,
        **others,
    )
    return any("reads the environment later" in reason for reason in reasons)


WRITES = {
    "an item": ("os.environ['AWS_PROFILE'] = 'b'", True),
    "an item of a constant's name": ("os.environ[PROFILE] = 'b'", True),
    "an item of any name": ("os.environ[name] = 'b'", True),
    "an item of another name": ("os.environ['MASTER_PORT'] = '1'", False),
    "an item by another import": ("variables['AWS_PROFILE'] = 'b'", True),
    "an item by another name of the module": ("system.environ['AWS_PROFILE'] = 'b'", True),
    "an item by a local name": ("env = os.environ\n    env['AWS_PROFILE'] = 'b'", True),
    "an item of a copy": ("env = os.environ.copy()\n    env['AWS_PROFILE'] = 'b'", False),
    "deleted": ("del os.environ['AWS_PROFILE']", True),
    "taken out": ("os.environ.pop('AWS_PROFILE', None)", True),
    "set by default": ("os.environ.setdefault('AWS_PROFILE', 'b')", True),
    "several": ("os.environ.update(values)", True),
    "several of other names": ("os.environ.update({'RANK': '1'}, WORLD='2')", False),
    "several by an operator": ("os.environ |= {'AWS_PROFILE': 'b'}", True),
    "by a function": ("os.putenv('AWS_PROFILE', 'b')", True),
    "for a while": (
        "with mock.patch.dict(os.environ, {'AWS_PROFILE': 'b'}):\n        pass",
        True,
    ),
    "for a while, by its name": (
        "with mock.patch.dict('os.environ', AWS_PROFILE='b'):\n        pass",
        True,
    ),
    "read": ("print(os.environ['AWS_PROFILE'])", False),
}


@pytest.mark.parametrize(("sets", "refused"), WRITES.values(), ids=WRITES)
def test_a_variable_is_set_after_the_client_was_made(sets, refused):
    program = "PROFILE = 'AWS_PROFILE'\n" + CLEANS.format(sets=sets)
    assert late(program) == refused


PLACES = {
    "before it is made": ("def main():\n" + SETS + MAKES + "\nmain()\n", False),
    "at the top of the module": (SETS.strip() + "\ndef main():\n" + MAKES + "\nmain()\n", False),
    "at the end of the module": ("def main():\n" + MAKES + "\nmain()\n" + SETS.strip(), True),
    "after it was made": ("def main():\n" + MAKES + SETS + "\nmain()\n", True),
    "by a function that is called before": (
        "def prepare():\n" + SETS + "\ndef main():\n    prepare()\n" + MAKES + "\nmain()\n",
        False,
    ),
    "by a function that is called before and after": (
        "def prepare():\n" + SETS + "\ndef main():\n    prepare()\n" + MAKES + "    prepare()\n\nmain()\n",
        True,
    ),
    "by a function that a worker calls": (
        "def prepare(worker):\n" + SETS + "\ndef main():\n" + MAKES
        + "    return DataLoader(rows, worker_init_fn=prepare)\n\nmain()\n",
        True,
    ),
    "before each of several": (
        "def main():\n    for region in 'ab':\n        os.environ['AWS_REGION'] = region\n        Rows('a')\n\nmain()\n",
        True,
    ),
    "in a function that makes one of several": (
        "def make(region):\n    os.environ['AWS_REGION'] = region\n    return Rows('a')\n\nmake('a')\nmake('b')\n",
        True,
    ),
    "while a block is entered": (
        "@contextlib.contextmanager\ndef region():\n" + SETS
        + "    yield\n\ndef main():\n    with region():\n        Rows('a')\n\nmain()\n",
        True,
    ),
    "while one is made": (
        "@mock.patch.dict(os.environ, {'AWS_REGION': 'a'})\ndef main():\n" + MAKES + "\nmain()\n",
        True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("program", "refused"), PLACES.values(), ids=PLACES)
def test_a_variable_may_be_set_before_anything_is_made(program, refused):
    assert late(program) == refused


CLIENTS = {
    "a database": ("psycopg2.connect()", "PGHOST", True),
    "a database, another's variable": ("psycopg2.connect()", "AWS_PROFILE", False),
    "a session's": ("boto3.Session().client('s3')", "AWS_PROFILE", True),
    "a file": ("h5py.File('a')", "AWS_PROFILE", False),
    "one of a function": ("stores.connect()", "AWS_PROFILE", True),
    "one of a class": ("stores.Store()", "AWS_PROFILE", True),
}


@pytest.mark.parametrize(("made", "name", "refused"), CLIENTS.values(), ids=CLIENTS)
def test_clients_read_variables_of_their_own(made, name, refused):
    stores = """
    import boto3

    def connect():
        return boto3.resource("s3")

    class Store:
        def __init__(self):
            self.client = boto3.client("s3")
    """
    program = "import stores\n" + CLEANS.format(sets=f"os.environ['{name}'] = 'b'")
    assert late(program, made, stores=stores) == refused


def test_a_client_of_a_session_that_is_kept_reads_them_as_well():
    session = "self.session = boto3.Session()"
    reasons = opened(
        decorator=HEAD,
        init=f"self.path = path\n{session}\nself.file = self.session.client('s3')",
        later=f"self.path = path\n{session}",
        opener="return self.session.client('s3')",
        program=CLEANS.format(sets="os.environ['AWS_PROFILE'] = 'b'"),
    )
    assert any("reads the environment later" in reason for reason in reasons)


@pytest.mark.parametrize(("inside", "refused"), [("", False), ("    ", True)])
def test_a_module_sets_a_variable_when_it_is_imported(inside, refused):
    setting = "import os\n\nos.environ['AWS_PROFILE'] = 'b'\nNAME = 'b'\n"
    program = f"def main():\n    Rows('a')\n{inside}from setting import NAME\n\nmain()\n"
    assert late(program, setting=setting) == refused
