import argparse

from torch.utils.data import DataLoader

REGISTRY = {}


def register(name):
    def note(function):
        REGISTRY[name] = function
        return function

    return note


def fill_registry(scale):
    @register("sum")
    def total(batch):
        return [sum(batch)]

    @register("scaled")
    def scaled(batch):
        nonlocal scale
        scale = scale + 0
        return [scale * each for each in batch]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    fill_registry(3)
    for name in ("sum", "scaled"):
        loader = DataLoader(
            range(6),
            batch_size=2,
            collate_fn=REGISTRY[name],
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", list(loader))


if __name__ == "__main__":
    main()
