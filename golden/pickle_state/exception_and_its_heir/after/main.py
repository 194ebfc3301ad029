import argparse

from concurrent.futures import ProcessPoolExecutor
import multiprocessing


class StageError(RuntimeError):
    def __init__(self, stage, cause, hint=None):
        message = f"{stage} failed: {cause}"
        if hint:
            message += f" ({hint})"
        super().__init__(message)
        self.stage = stage
        self.cause = cause
        self.hint = hint

    def __reduce__(self):
        return type(self), (self.stage, self.cause, self.hint), self.__dict__


class DecodeError(StageError):
    def __init__(self, name: str, cause: str):
        super().__init__("decode", cause, hint=name)
        self.name = name
        self.cause = cause

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.name, self.cause), self.__dict__


def decode(n):
    if n == 1:
        raise StageError("load", n)
    if n == 2:
        raise DecodeError(str(n), "too short")
    return n


def outcome(function, *args):
    try:
        return function(*args)
    except StageError as error:
        return type(error).__name__, str(error)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    if not args.workers:
        print("RESULT", [outcome(decode, n) for n in range(4)])
        return
    out = []
    for n in range(4):
        with ProcessPoolExecutor(args.workers, mp_context=multiprocessing.get_context(args.start_method)) as pool:
            out.append(outcome(pool.submit(decode, n).result))
    print("RESULT", out)


if __name__ == "__main__":
    main()
