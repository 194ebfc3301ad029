import argparse
import multiprocessing


def work(lock, numbers, found):
    for number in numbers:
        with lock:
            found.value += number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    lock = context.Lock()
    found = context.Value("i", 0, lock=False)
    if not args.workers:
        work(lock, range(6), found)
    else:
        processes = [
            context.Process(target=work, args=(lock, range(at, 6, 2), found)) for at in range(2)
        ]
        for each in processes:
            each.start()
        for each in processes:
            each.join()
    print("RESULT", found.value)


if __name__ == "__main__":
    main()
