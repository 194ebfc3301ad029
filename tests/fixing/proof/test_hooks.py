"""A hook that can be sent is replaced by one that a worker registers under the same number."""

import pytest

from tests.fixing.proof.pairs import worse

BEFORE = """
def encoder(net, gain):
    net.register_forward_hook(lambda module, args, output: output * gain)
    return net
"""
AFTER = """
def _scale(module, args, output, *, gain):
    return output * gain


def encoder(net, gain):
    net.register_forward_hook(functools.partial(_scale, gain=gain))
    return net
"""
OTHERS = {
    "for a while": (
        "def tapped(net):\n    handle = net.register_forward_hook(print)\n    net(1)\n    handle.remove()\n",
        True,
    ),
    "for good": ("def tapped(net):\n    net.register_forward_hook(print)\n", False),
    "of another kind": (
        "def tapped(net):\n    handle = net.register_forward_pre_hook(print)\n    handle.remove()\n",
        False,
    ),
}


@pytest.mark.parametrize(("code", "refused"), OTHERS.values(), ids=OTHERS)
def test_another_hook_of_the_kind_is_registered(code, refused):
    reasons = worse(BEFORE + code, AFTER + code)
    assert refused == any("would replace the hook" in each for each in reasons)
