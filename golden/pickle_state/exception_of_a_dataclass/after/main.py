import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass


@dataclass
class Misaligned(Exception):
    """No path through the frames."""

    name: str
    frame: int = 0

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.name, self.frame), self.__dict__

    def __str__(self):
        return f"{self.name} at {self.frame}"


def align(name):
    if len(name) > 2:
        raise Misaligned(name=name, frame=len(name))
    return name.upper()


def outcome(call):
    try:
        return call()
    except Misaligned as error:
        return str(error), error.frame


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    names = ["ab", "abc"]
    if not args.workers:
        print("RESULT", [outcome(lambda name=name: align(name)) for name in names])
        return
    context = multiprocessing.get_context(args.start_method)
    with ProcessPoolExecutor(args.workers, mp_context=context) as pool:
        print("RESULT", [outcome(pool.submit(align, name).result) for name in names])


if __name__ == "__main__":
    main()
