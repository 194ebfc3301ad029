import argparse

from torch.utils.data import DataLoader, Dataset


class Base(Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def title(self):
        return f"{type(self).__name__} of {self.size}"


class Windows:
    pass


def build(size, step):
    class Windows(Base):
        def __getitem__(self, index):
            return index * 2

    return Windows(size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    data = build(4, 2)
    loader = DataLoader(
        data,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", data.title(), [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
