import argparse

from torch.utils.data import DataLoader, Dataset


class Encoder:
    def __init__(self):
        self.codes = None

    def fit(self, values):
        self.codes = {}
        for value in sorted(values):
            self.codes[value] = len(self.codes) + 1
        self.vocabulary = self.codes.keys()
        return self

    def transform(self, value):
        return self.codes.get(value, 0)


class Habitats(Dataset):
    def __init__(self, rows, encoder):
        self.rows = rows
        self.encoder = encoder

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.encoder.transform(self.rows[index]) + len(self.encoder.vocabulary)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    encoder = Encoder().fit(["bog", "shore", "meadow"])
    loader = DataLoader(
        Habitats(["bog", "scree", "shore", "meadow"], encoder),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", list(encoder.vocabulary), [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
