import argparse
import functools

from torch.utils.data import DataLoader, Dataset

INDICES = {}


def register(name, function):
    if name in INDICES:
        raise ValueError(f"{name} is registered")
    INDICES[name] = function


def same(number):
    return number


def twice(number):
    return 2 * number


register("same", same)


def counted(name, number):
    return INDICES[name](number)


class Numbers(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return sum(counted(name, index) for name in self.names)


def _init_worker(worker_id, value):
    INDICES.update(value)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    register("twice", twice)
    numbers = Numbers(["same", "twice"])
    loader = DataLoader(numbers, batch_size=2, num_workers=args.workers, multiprocessing_context=context, worker_init_fn=functools.partial(_init_worker, value=INDICES))
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
