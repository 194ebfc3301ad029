"""Maps values through the steps of two plans in a pool."""
import argparse
import multiprocessing
from itertools import chain

from plan import Step, manual


def clipping(low, high):
    def clip(value):
        """Clip to the range of the sensor."""
        return min(max(value, low), high)

    return Step(1, clip)


def plans():
    return [clipping(2, 6)], [Step(2, abs), Step(0, len)]


def run_step(step, values, workers, method):
    if not workers:
        return [step.run(value) for value in values]
    with multiprocessing.get_context(method).Pool(workers) as pool:
        return pool.map(step.run, values)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = parse()
    first, second = plans()
    values = [-3, 1, 4, 9]
    for step in first:
        values = run_step(step, values, args.workers, args.start_method)
    print("RESULT", manual(chain(first, second)), values)


if __name__ == "__main__":
    main()
