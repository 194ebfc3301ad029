import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from errors import Odd


def check(number):
    if number % 2:
        raise Odd(number, reason="odd")
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
        return (error.number, str(error))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", results(args.workers, args.start_method))


if __name__ == "__main__":
    main()
