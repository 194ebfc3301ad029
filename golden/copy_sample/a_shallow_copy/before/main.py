import argparse
import copy

from torch.utils.data import DataLoader, Dataset

WORDS = ["yes", "no", "red", "two"]


class Dialogs(Dataset):
    def __init__(self):
        self.words = WORDS
        self.dialogs = [
            [{"question": 0, "answer": 1}, {"question": 2, "answer": 3}],
            [{"question": 3, "answer": 0}],
        ]

    def __len__(self):
        return len(self.dialogs)

    def __getitem__(self, index):
        dialog = copy.copy(self.dialogs[index])
        for turn in dialog:
            turn["question"] = len(str(turn["question"])) + turn["question"]
            turn["answer"] = turn["answer"] + 1
        return dialog


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(Dialogs(), batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [list(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
