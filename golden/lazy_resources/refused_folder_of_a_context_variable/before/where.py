import contextlib
import contextvars

ROOT = contextvars.ContextVar("ROOT", default="")


@contextlib.contextmanager
def root(folder):
    token = ROOT.set(folder)
    try:
        yield
    finally:
        ROOT.reset(token)
