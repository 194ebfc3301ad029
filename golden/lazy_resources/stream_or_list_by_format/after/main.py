import argparse
import gzip
import json
import os
import tempfile

from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    def __init__(self, path, form):
        self._records_by_pid = {}
        self.form = form
        self.path = path
        if form == "lines":
            self.records = gzip.open(path, "rb")
            self.fields = json.loads(self.records.readline())
            self.places = []
            place = self.records.tell()
            while self.records.readline():
                self.places.append(place)
                place = self.records.tell()
        elif form == "list":
            content = json.load(gzip.open(path))
            self.fields = content["fields"]
            self.records = content["records"]
            self.places = range(len(self.records))
        else:
            raise ValueError(form)

    def _open_records(self):
        if self.form == "lines":
            self.records = gzip.open(self.path, "rb")
        else:
            content = json.load(gzip.open(self.path))
            self.records = content["records"]

    @property
    def records(self):
        if os.getpid() not in self._records_by_pid:
            self._open_records()
        return self._records_by_pid[os.getpid()]

    @records.setter
    def records(self, records):
        self._records_by_pid[os.getpid()] = records

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_records_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.places)

    def __getitem__(self, index):
        place = self.places[index]
        if self.form == "lines":
            self.records.seek(place)
            return json.loads(self.records.readline())[0]
        return self.records[place][0]


def build(root):
    path = os.path.join(root, "records.gz")
    with gzip.open(path, "wt") as out:
        for line in (["value"], [1], [4], [9], [16]):
            out.write(json.dumps(line) + "\n")
    return Records(path, "lines")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
