import argparse
from torch.utils.data import DataLoader, Dataset


class Tokens(Dataset):
    def __init__(self):
        self.sentences = [[1, 2], [3], [4, 5, 6]]

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, index):
        tokens = list(self.sentences[index])
        tokens.append(0)
        return tokens


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Tokens()
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [list(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
