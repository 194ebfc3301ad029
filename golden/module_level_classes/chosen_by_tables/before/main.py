import argparse
import copy
import os

from torch.utils.data import DataLoader

from data.factory import get_dataset


class Options:
    def __init__(self, dataset, task):
        self.dataset, self.task = dataset, task

    def of_dataset(self, args, dataset):
        args.mean = dataset.mean
        return args


def loader_options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def main(args):
    Rows = get_dataset(args.dataset, args.task)
    args = Options(args.dataset, args.task).of_dataset(args, Rows)
    loaders = [DataLoader(Rows(args, split), **loader_options(args)) for split in ("train", "val")]
    print("RESULT", [[batch.tolist() for batch in loader] for loader in loaders], args.mean)
    rows = loaders[0].dataset
    copies = [copy.copy(rows), copy.deepcopy(rows)]
    alike = [type(each) is type(rows) and each.rows == rows.rows for each in copies]
    print("RESULT", alike, copies[0].rows is rows.rows, Rows.__name__)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--dataset", default=os.environ.get("ROWS", "short"))
    parser.add_argument("--task", default="scaled")
    main(parser.parse_args())
