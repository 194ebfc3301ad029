import argparse
import os
import tarfile
import tempfile

from torch.utils.data import DataLoader, Dataset


class Members(Dataset):
    def __init__(self, options):
        self.archive = tarfile.open(os.path.join(options.root, options.phase + ".tar"))
        self.members = self.archive.getmembers()

    def __len__(self):
        return len(self.members)

    def __getitem__(self, index):
        return len(self.archive.extractfile(self.members[index]).read())


def pack(root, phase, sizes):
    with tarfile.open(os.path.join(root, phase + ".tar"), "w") as archive:
        for number, size in enumerate(sizes):
            path = os.path.join(root, f"{phase}-{number}")
            with open(path, "wb") as out:
                out.write(bytes(size))
            archive.add(path, arcname=str(number))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as args.root:
        pack(args.root, "train", [1, 2, 3, 4])
        pack(args.root, "test", [10, 20])
        args.phase = "train"
        train = Members(args)
        args.phase = "test"
        test = Members(args)
        found = []
        for dataset in (train, test):
            loader = DataLoader(
                dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
            )
            found.append([batch.tolist() for batch in loader])
        print("RESULT", found)


if __name__ == "__main__":
    main()
