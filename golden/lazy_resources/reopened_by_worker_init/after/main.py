import argparse
import functools
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset, get_worker_info


class Items(Dataset):
    def __init__(self, path):
        self.path = path
        with zipfile.ZipFile(self.path) as archive:
            self.names = sorted(archive.namelist())

    @functools.cached_property
    def archive(self):
        return zipfile.ZipFile(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archive", None)  # each process opens its own
        return state

    def reopen(self):
        self.archive = zipfile.ZipFile(self.path)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.archive.read(f"{index}.txt"))


def reopen(worker_id):
    get_worker_info().dataset.reopen()


def make(path):
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(6):
            archive.writestr(f"{i}.txt", str(i * i))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context, worker_init_fn=reopen
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
