import argparse
import functools

from torch.utils.data import DataLoader, Dataset

LONGEST = 2
PAD = -1


class Names(Dataset):
    names = ["anna", "bo", "carlotta", "dee"]

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return self.names[index]


def encode(name):
    ids = [IDS[letter] for letter in name[:LONGEST]]
    return ids + [PAD] * (LONGEST - len(ids))


def collate(names):
    return [encode(name) for name in names]


def _init_worker(worker_id, longest, ids):
    global LONGEST, IDS
    LONGEST = longest
    IDS = ids


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--longest", type=int, default=3)
    args = parser.parse_args()
    LONGEST = args.longest
    IDS = {letter: number for number, letter in enumerate(sorted(set("".join(Names.names))))}
    loader = DataLoader(
        Names(),
        batch_size=2,
        collate_fn=collate,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
        worker_init_fn=functools.partial(_init_worker, longest=LONGEST, ids=IDS),
    )
    print("RESULT", list(loader))
