import argparse

from torch.utils.data import DataLoader, Dataset

CLOSED = []


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.stream = open(self.path, "rb")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("stream", None)  # __setstate__ reopens it
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.stream = open(self.path, "rb")

    def __del__(self):
        CLOSED.append(self.stream.name)
        self.stream.close()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.stream.seek(index)
        return self.stream.read(1)[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with open("rows.bin", "wb") as out:
        out.write(bytes(range(6)))
    unused = Rows("rows.bin")
    del unused
    rows = Rows("rows.bin")
    context = args.start_method if args.workers else None
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [batch.tolist() for batch in loader], CLOSED)


if __name__ == "__main__":
    main()
