import argparse
import os
import tempfile

from torch.utils.data import DataLoader

from stream import CsvSource, calibrated


def simulate(path, hours):
    with open(path, "w", newline="") as f:
        f.write("# site 12\n# hourly\nhour,wind,power\n")
        for h in range(hours):
            wind = 4 + (h * 7) % 9
            f.write(f"{h},{wind},{wind ** 2 * 3 + h % 2}\n")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--start-method", choices=["fork", "spawn", "forkserver"], default="spawn")
    ap.add_argument("--burn-in", type=int, default=16)
    args = ap.parse_args()

    fd, path = tempfile.mkstemp(suffix=".csv")
    os.close(fd)
    try:
        simulate(path, 100)
        stream = calibrated(CsvSource(path), args.burn_in)
        loader = DataLoader(
            stream,
            batch_size=7,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        hours, wind, power = 0, 0.0, 0.0
        for batch in loader:
            hours += len(batch)
            wind += batch[:, 0].double().sum().item()
            power += batch[:, 1].double().sum().item()
    finally:
        os.unlink(path)
    print(f"RESULT hours={hours} wind={wind:.3f} power={power:.3f}")


if __name__ == "__main__":
    main()
