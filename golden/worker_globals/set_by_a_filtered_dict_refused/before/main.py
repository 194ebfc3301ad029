import argparse

import settings
from features import extract, read_returns


def summarise(power, rows):
    import torch

    sums = torch.tensor(rows).sum(0).tolist()
    return f"m{power}={sums[0]} clipped={sums[1]} parts={len(rows)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", choices=["fork", "spawn", "forkserver"], default="spawn")
    parser.add_argument("--clip", type=int, default=65)
    parser.add_argument("--floor", type=int)
    parser.add_argument("--powers", type=int, nargs="*", default=[2])
    args = parser.parse_args()

    settings.update(CLIP=args.clip, FLOOR=args.floor)
    values = read_returns(180)
    out = []
    for power in args.powers:
        out.append(summarise(power, extract(values, power, args.workers, args.start_method)))
    print("RESULT", " ".join(out))


if __name__ == "__main__":
    main()
