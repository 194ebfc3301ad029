import argparse
from dataclasses import dataclass, field, replace
from threading import Lock

from torch.utils.data import DataLoader, Dataset


@dataclass(frozen=True)
class Vocabulary:
    words: tuple
    _numbers: dict = field(default_factory=dict, init=False, repr=False, compare=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def number(self, word):
        with self._lock:
            if word not in self._numbers:
                self._numbers[word] = self.words.index(word)
            return self._numbers[word]


class Words(Dataset):
    def __init__(self, text, vocabulary):
        self.text = text
        self.vocabulary = vocabulary

    def __len__(self):
        return len(self.text)

    def __getitem__(self, index):
        return self.vocabulary.number(self.text[index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    vocabulary = replace(Vocabulary(("a",)), words=("a", "b", "c"))
    dataset = Words("cabbac", vocabulary)
    loader = DataLoader(
        dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", {vocabulary: 1}[vocabulary], [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
