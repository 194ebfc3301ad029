import json
import math


class Frames:
    def __init__(self, rows):
        self.rows = rows

    def to_json(self):
        return json.dumps(self.rows)

    def to_torch(self, scale=1, first=0):
        """Return the rows as a dataset of PyTorch, which need not be installed otherwise."""
        from ._torch_frames import TorchFrames

        return TorchFrames(self, first, scale)

    def pairs(self, size):
        try:
            from ._torch_frames import Pairs
        except ImportError:
            raise RuntimeError("install torch")

        return Pairs(self.rows, size=size)
