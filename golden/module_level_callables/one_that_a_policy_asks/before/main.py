"""A policy keeps what it is given in a tuple each time; one of two lambdas is asked for its parameters."""

import argparse
import inspect

from torch.utils.data import DataLoader, Dataset


class Policy:
    """Steps, and whether each of them takes a number as well."""

    def __init__(self):
        self.steps = []

    def add(self, function):
        numbered = len(inspect.signature(function).parameters) > 1
        self.steps.append((function, numbered))

    def __call__(self, value, number):
        for function, numbered in self.steps:
            value = function(value, number) if numbered else function(value)
        return value


class Rows(Dataset):
    def __init__(self, policy):
        self.policy = policy

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.policy(index, 1)


def policy_of(strength):
    policy = Policy()
    policy.add(lambda value: value * strength)
    policy.add(lambda value: value + 1)
    return policy


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        Rows(policy_of(3)),
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [row.item() for row in loader])
