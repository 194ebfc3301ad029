import argparse
import multiprocessing


def measures(shift):
    found = {"longest": lambda values: max(values), "shifted": lambda values: values[0] + shift}
    found["shortest"] = lambda values: min(values) - 1
    shift += 1
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    args = parser.parse_args()
    rows = [[5, 1, 4], [9, 2, 6, 3]]
    found = []
    for measure in measures(3).values():
        if args.workers:
            context = multiprocessing.get_context(args.start_method)
            with context.Pool(args.workers) as pool:
                found.append(pool.map(measure, rows))
        else:
            found.append([measure(row) for row in rows])
    print("RESULT", found)


if __name__ == "__main__":
    main()
