import argparse
import functools
import multiprocessing

MEASURES = {"longest": max}


def _select(values, *, at):
    return sorted(values)[len(values) * at // 100]


for percent in (50, 90):
    MEASURES[f"q{percent}"] = functools.partial(_select, at=percent)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    args = parser.parse_args()
    rows = [[5, 1, 4], [9, 2, 6, 3]]
    found = []
    for name in ("q50", "q90"):
        measure = MEASURES[name]
        if args.workers:
            context = multiprocessing.get_context(args.start_method)
            with context.Pool(args.workers) as pool:
                found.append(pool.map(measure, rows))
        else:
            found.append([measure(row) for row in rows])
    print("RESULT", found)


if __name__ == "__main__":
    main()
