import argparse
import multiprocessing
import queue


def work(tasks, results):
    while (task := tasks.get()) is not None:
        function, value = task
        results.put(function(value))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = multiprocessing.get_context(args.start_method)
    factor = 3
    tasks = context.SimpleQueue() if args.workers else queue.Queue()
    results = context.SimpleQueue() if args.workers else queue.Queue()
    started = [context.Process(target=work, args=(tasks, results)) for _ in range(args.workers)]
    for process in started:
        process.daemon = True
        process.start()
    for value in range(4):
        tasks.put((lambda x: x * factor, value))
    for _ in range(max(args.workers, 1)):
        tasks.put(None)
    if not args.workers:
        work(tasks, results)
    print("RESULT", sorted(results.get() for _ in range(4)))


if __name__ == "__main__":
    main()
