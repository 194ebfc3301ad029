import argparse
import functools

from torch.utils.data import DataLoader


def make_loader(factor, workers, method):
    gather = functools.partial(_gather, factor=factor)

    context = method if workers else None
    return DataLoader(
        range(6), batch_size=2, collate_fn=gather, num_workers=workers, multiprocessing_context=context
    )


class Batch:
    def __init__(self, values):
        self.values = values


def _gather(samples, *, factor) -> Batch:
    return Batch([sample * factor for sample in samples])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    args = parser.parse_args()
    loader = make_loader(3, args.workers, args.start_method)
    print("RESULT", [batch.values for batch in loader])


if __name__ == "__main__":
    main()
