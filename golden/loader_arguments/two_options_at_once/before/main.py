import argparse

from torch.utils.data import DataLoader


def batches(numbers):
    return DataLoader(
        numbers,
        batch_size=2,
        timeout=30,
        persistent_workers=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in batches(list(range(4)))])


if __name__ == "__main__":
    main()
