import argparse
import multiprocessing


class Survey:
    def __init__(self, weights, workers, method):
        self.weights = weights
        self.workers = workers
        self.context = multiprocessing.get_context(method)
        self.pool = None

    def scores(self, rows):
        offset = len(rows)

        def score(row):
            return sum(w * x for w, x in zip(self.weights, row)) + offset

        def numbered(item):
            number, row = item
            return number, score(row)

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
