import argparse
import functools
import multiprocessing


def _score(row, *, offset, weights):
    return sum(w * x for w, x in zip(weights, row)) + offset


def _numbered(item, *, offset, weights):
    number, row = item
    return number, _score(row, offset=offset, weights=weights)


class Survey:
    def __init__(self, weights, workers, method):
        self.weights = weights
        self.workers = workers
        self.context = multiprocessing.get_context(method)
        self.pool = None

    def scores(self, rows):
        offset = len(rows)

        numbered = functools.partial(_numbered, offset=offset, weights=self.weights)

        if not self.workers:
            return [numbered(item) for item in enumerate(rows)]
        self.pool = self.context.Pool(self.workers)
        try:
            return self.pool.map(numbered, list(enumerate(rows)))
        finally:
            self.pool.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    survey = Survey([1, 10, 100], args.workers, args.start_method)
    print("RESULT", survey.scores([(1, 2, 3), (4, 5, 6), (7, 8, 9)]))


if __name__ == "__main__":
    main()
