import time


def timed(what, enabled=True):
    """Print how long each call takes."""

    def decorate(method):
        if not enabled:
            return method

        def timed_call(self, *args, **kwargs):
            start = time.perf_counter()
            result = method(self, *args, **kwargs)
            print(what, time.perf_counter() - start)
            return result

        return timed_call

    return decorate
