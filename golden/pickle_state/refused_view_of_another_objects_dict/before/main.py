import argparse

from torch.utils.data import DataLoader, Dataset


class Labels:
    def __init__(self):
        self.rows = {}

    def add(self, key, label):
        self.rows[key] = label


class Labelled(Dataset):
    def __init__(self, labels):
        self.labels = labels
        self.keys = labels.rows.keys()

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        return self.labels.rows[sorted(self.keys)[index]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    labels = Labels()
    for key in range(5):
        labels.add(key, key * key)
    dataset = Labelled(labels)
    labels.add(7, 70)
    context = args.start_method if args.workers else None
    loader = DataLoader(
        dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", len(dataset), [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
