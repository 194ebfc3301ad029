"""What a batch holds, in a few words and as a hash."""

from .objects import ATOMS
from .places import type_name


def summary(batch):
    """Return a batch's shape in a few words."""
    if hasattr(batch, "shape") and hasattr(batch, "dtype"):
        return "{}[{}]".format(type(batch).__name__, ", ".join(map(str, batch.shape)))
    if isinstance(batch, dict):
        return "{{{}}}".format(", ".join(f"{k}: {summary(v)}" for k, v in list(batch.items())[:6]))
    if isinstance(batch, (list, tuple)):
        more = ", ..." if len(batch) > 4 else ""
        return "[{}{}]".format(", ".join(summary(v) for v in batch[:4]), more)
    return type(batch).__name__


def digest(batch):
    """Return a hash of a batch's values."""
    import hashlib

    found = hashlib.sha1()
    for piece in pieces(batch):
        found.update(piece)
    return found.hexdigest()


def pieces(value):
    """Yield a batch's values as bytes."""
    if hasattr(value, "detach") and hasattr(value, "numpy"):
        value = value.detach().cpu()
        value = value.float().numpy() if "bfloat16" in str(value.dtype) else value.numpy()
    if hasattr(value, "tobytes"):
        yield value.tobytes()
    elif isinstance(value, dict):
        for key in value:
            yield repr(key).encode()
            yield from pieces(value[key])
    elif isinstance(value, (list, tuple)):
        yield b"("
        for item in value:
            yield from pieces(item)
    else:
        yield (repr(value) if isinstance(value, ATOMS) else type_name(value)).encode()
