"""What hears of each opening hears of it when it heard of it before."""

import textwrap

import pytest

from tests.fixing.proof.pairs import LAZY, opened

HEAD = "import sys\nimport threading\nfrom sys import addaudithook as listen\nSEEN = []\n"
HOOK = "def hook(event, args):\n{body}\n\ndef main():\n    sys.addaudithook(hook)\n    return Rows('a'), SEEN\n"
BODIES = {
    "notes all": ("SEEN.append(event)", True),
    "notes what is opened": ("if event == 'open':\n    SEEN.append(args)", True),
    "notes one of several": ("if event in ('import', 'open'):\n    SEEN.append(args)", True),
    "leaves out some": ("if event == 'import':\n    return\nSEEN.append(args)", True),
    "ends where it is another": ("if event != 'open':\n    return\nSEEN.append(args)", True),
    "asks a table": ("if event in WANTED:\n    SEEN.append(args)", True),
    "notes connections": ("if event == 'socket.connect':\n    SEEN.append(args)", False),
    "ends where it is no import": ("if event != 'import':\n    return\nSEEN.append(args)", False),
    "notes the commands alone": (
        "'''Note commands.'''\nif event.startswith('subprocess.') and args:\n    SEEN.append(args)",
        False,
    ),
    "notes either": (
        "if event == 'import':\n    SEEN.append(args)\nelif event == 'exec':\n    SEEN.append(event)",
        False,
    ),
    "notes others and these": (
        "if event == 'import':\n    SEEN.append(args)\nelse:\n    SEEN.append(event)",
        True,
    ),
}


def heard(program, **others):
    reasons = opened(program=HEAD + program, **others)
    return any("hears of what the program opens" in reason for reason in reasons)


@pytest.mark.parametrize(("body", "refused"), BODIES.values(), ids=BODIES)
def test_a_hook(body, refused):
    assert heard(HOOK.format(body=textwrap.indent(body, "    "))) == refused


INSTALLS = {
    "under another name": ("listen(SEEN.append)", True),
    "a lambda": ("sys.addaudithook(lambda event, args: SEEN.append(event))", True),
    "a lambda for others": (
        "sys.addaudithook(lambda event, args: event == 'import' and SEEN.append(args))",
        False,
    ),
    "a trace": ("sys.settrace(SEEN.append)", True),
    "a profile of threads": ("threading.setprofile(SEEN.append)", True),
    "the end of a trace": ("sys.settrace(None)", False),
    "no hook": ("sys.audit('rows.open', 'a')", False),
}


@pytest.mark.parametrize(("installs", "refused"), INSTALLS.values(), ids=INSTALLS)
def test_what_is_installed(installs, refused):
    assert heard(f"def main():\n    {installs}\n    return Rows('a'), SEEN\n") == refused


def test_what_the_constructor_opens_as_before_is_heard_as_before():
    getter = """
    @property
    def file(self):
        if os.getpid() not in self._file_by_pid:
            self._file_by_pid[os.getpid()] = h5py.File(self.path, 'r')
        return self._file_by_pid[os.getpid()]
    """
    program = HOOK.format(body="    SEEN.append(event)")
    later = "self.path = path\nself._file_by_pid = {os.getpid(): h5py.File(path, 'r')}"
    assert not heard(program, getter=getter, later=later)
    assert heard(program, getter=LAZY, opener="return h5py.File(self.path, 'r')")


def test_connections_are_made_by_what_connects():
    program = HOOK.format(body="    if event == 'socket.connect':\n        SEEN.append(args)")
    made = {"init": "self.file = redis.Redis(path)", "later": "self.path = path"}
    assert heard("import redis\n" + program, **made, opener="return redis.Redis(self.path)")
