import argparse

from torch.utils.data import DataLoader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(list(range(4)), batch_size=2)
    loader.multiprocessing_context = "spawn"
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
