import threading


class Counting:
    """Counts what is asked of it, from several threads."""

    def __init__(self, names):
        self.names = list(names)
        self.counts = dict.fromkeys(self.names, 0)
        self._lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_lock", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def count(self, name):
        with self._lock:
            self.counts[name] += 1
            return self.counts[name]
