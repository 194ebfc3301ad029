import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor


class Odd(ValueError):
    """A number that cannot be halved."""

    def __init__(self, number, reason):
        super().__init__(f"{number}: {reason}")
        self.number = number
        self.reason = reason

    def __reduce__(self):
        return type(self), (self.number, self.reason)

    def twice(self):
        return self.number * 2


def check(number):
    if number % 2:
        raise Odd(number, "odd")
    return number


def results(workers, method):
    if not workers:
        return [outcome(check, number) for number in range(4)]
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(workers, mp_context=context) as executor:
        futures = [executor.submit(check, number) for number in range(4)]
        return [outcome(future.result) for future in futures]


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except Odd as error:
        return (error.number, error.reason, error.twice(), str(error))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", results(args.workers, args.start_method))


if __name__ == "__main__":
    main()
