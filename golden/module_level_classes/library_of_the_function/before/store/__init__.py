from store.frames import Frames

__all__ = ["Frames"]
