import argparse
import json
import os
import tempfile

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


def read_lines(path):
    with open(path) as lines:
        for line in lines:
            yield json.loads(line)


class Lines(IterableDataset):
    def __init__(self, path, least=2):
        self.path = path
        self.rows = (row for row in read_lines(path) if row["length"] >= least)

    def __iter__(self):
        info = get_worker_info()
        for number, row in enumerate(self.rows):
            if info is None or number % info.num_workers == info.id:
                yield row["length"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lines.jsonl")
        with open(path, "w") as out:
            for number in range(12):
                out.write(json.dumps({"length": number % 5}) + "\n")
        lines = Lines(path)
        context = args.start_method if args.workers else None
        loader = DataLoader(
            lines, batch_size=None, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", sorted(loader))


if __name__ == "__main__":
    main()
