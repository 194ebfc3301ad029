import argparse

from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self):
        self.scans = {0: {"path": "a", "slices": [4, 1]}, 1: {"path": "b", "slices": [9]}}

    def __len__(self):
        return len(self.scans)

    def __getitem__(self, index):
        scan = dict(self.scans[index])  # the path is made a whole one
        scan["path"] = f"data/{scan['path']}"
        scan["slices"].append(index)
        return scan


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(Scans(), batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [list(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
