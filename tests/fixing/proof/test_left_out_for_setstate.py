"""What `__setstate__` reads is part of the state, whichever of two fixes came first."""

from tests.fixing.proof.pairs import worse

ROWS = """
class Rows(Dataset):
    def __init__(self, path):
        self.stack = contextlib.ExitStack()
        self.pool = self.stack.enter_context(ThreadPoolExecutor(2))
{state}
    def __getitem__(self, index):
        return self.pool.submit(pow, index, 2).result()

loader = DataLoader(Rows("a"), num_workers=2)
"""
LEAVES = """
    def __getstate__(self):
        state = self.__dict__.copy()
{pops}
        return state
"""
AGAIN = """
    def __setstate__(self, state):
        self.__dict__.update(state)
        self.pool = self.stack.enter_context(ThreadPoolExecutor(2))
"""
POOL, STACK = '        state.pop("pool", None)', '        state.pop("stack", None)'


def rows(*pops, again=""):
    return ROWS.format(state=LEAVES.format(pops="\n".join(pops)) + again if pops else "")


def reasons(before, after):
    return worse(before, after)


def test_one_that_leaves_out_what_is_read_there_already():
    found = reasons(rows(POOL, again=AGAIN), rows(POOL, STACK, again=AGAIN))
    assert any("`stack` may not be set" in reason for reason in found)


def test_one_that_reads_what_was_left_out_already():
    found = reasons(rows(STACK), rows(STACK, POOL, again=AGAIN))
    assert any("`stack` may not be set" in reason for reason in found)


def test_one_that_reads_what_is_still_there():
    found = reasons(rows(), rows(POOL, again=AGAIN))
    assert not any("may not be set" in reason for reason in found)
