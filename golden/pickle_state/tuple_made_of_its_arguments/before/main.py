import argparse

from torch.utils.data import DataLoader, Dataset


class Box(tuple):
    """A closed interval."""

    def __new__(cls, low: int, high: int) -> "Box":
        if low > high:
            raise ValueError(f"{low} is above {high}")
        return super().__new__(cls, (low, high))

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high


class Boxes(Dataset):
    def __init__(self, count):
        self.boxes = [Box(number, number + 2) for number in range(count)]

    def __len__(self):
        return len(self.boxes)

    def __getitem__(self, index):
        box = self.boxes[index]
        return box.high * box[1] - box.low * box[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    boxes = Boxes(6)
    loader = DataLoader(boxes, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
