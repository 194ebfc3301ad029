import argparse
import torch
from torch.utils.data import DataLoader, Dataset


class Features(Dataset):
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        item = self.data[index]  # a dict
        item["feature"] = item["feature"] * 2
        return item


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    data = [{"feature": torch.tensor([n]), "label": n % 2} for n in range(1, 5)]
    dataset = Features(data)
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [[b["feature"].tolist() for b in loader] for _ in range(2)])


if __name__ == "__main__":
    main()
