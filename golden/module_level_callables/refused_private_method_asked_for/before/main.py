import argparse
import multiprocessing


class Job:
    def __init__(self, count):
        self.count = count

    def __run(self, queue):
        queue.put(sum(range(self.count)))

    def start(self, queue, start_method):
        process = multiprocessing.get_context(start_method).Process(target=self.__run, args=(queue,))
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(process.exitcode)
        return queue.get()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    job = Job(5)
    if args.workers:
        queue = multiprocessing.get_context(args.start_method).SimpleQueue()
        print("RESULT", job.start(queue, args.start_method))
        return
    queue = multiprocessing.SimpleQueue()
    job._Job__run(queue)
    print("RESULT", queue.get())


if __name__ == "__main__":
    main()
