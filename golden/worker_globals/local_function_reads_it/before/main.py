import argparse

from torch.utils.data import DataLoader

TOTAL = 1


def set_total(number):
    global TOTAL
    TOTAL = number


def run(args):
    def scaled(value):
        return value * TOTAL

    def collate(batch):
        return [scaled(value) for value in batch]

    set_total(9)
    options = {"num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    loader = DataLoader(range(6), batch_size=2, collate_fn=collate, **options)
    return list(loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", run(parser.parse_args()))


if __name__ == "__main__":
    main()
