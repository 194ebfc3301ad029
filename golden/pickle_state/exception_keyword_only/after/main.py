import argparse

from concurrent.futures import ProcessPoolExecutor
import functools
import multiprocessing


class BadFile(ValueError):
    def __init__(self, path, *, code):
        ValueError.__init__(self, path)
        self.path = path
        self.code = code

    def __reduce__(self):
        return functools.partial(type(self), code=self.code), (self.path,), self.__dict__


class Runner:
    def __init__(self, workers, method):
        self.executor = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(method))

    def go(self, paths):
        return [self.executor.submit(check, p) for p in paths]


def check(path):
    if path.endswith("b"):
        raise BadFile(path, code=3)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    out = []
    if not args.workers:
        for p in ["a", "b"]:
            try:
                out.append(check(p))
            except BadFile as e:
                out.append((e.path, e.code))
    else:
        for f in Runner(args.workers, args.start_method).go(["a", "b"]):
            try:
                out.append(f.result())
            except BadFile as e:
                out.append((e.path, e.code))
    print("RESULT", out)


if __name__ == "__main__":
    main()
