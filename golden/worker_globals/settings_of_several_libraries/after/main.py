import argparse
import csv
import decimal
import sqlite3
import sys
import warnings

from torch.utils.data import DataLoader, Dataset


def as_pair(text):
    return text.decode().split(";")


class Invoices(Dataset):
    def __init__(self, prices):
        self.prices = prices

    def __len__(self):
        return len(self.prices)

    def __getitem__(self, index):
        price, note = next(csv.reader([f"{self.prices[index]},{'x' * 140000}"]))
        with sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES) as rows:
            rows.execute("create table places (at point)")
            rows.execute("insert into places values ('1;2')")
            (place,) = rows.execute("select at from places").fetchone()
        try:
            warnings.warn("rounded", RuntimeWarning)
            told = "told"
        except RuntimeWarning:
            told = "handled"
        return str(decimal.Decimal(price).quantize(decimal.Decimal("0.01"))), len(note), place, told



def _init_worker(worker_id):
    decimal.getcontext().rounding = decimal.ROUND_HALF_UP
    sqlite3.register_converter("point", as_pair)
    csv.field_size_limit(sys.maxsize)
    warnings.filterwarnings("error", category=RuntimeWarning)


def load(workers, method):
    method = method if workers else None
    prices = ["1.005", "2.015", "7.125"]
    return DataLoader(Invoices(prices), batch_size=None, num_workers=workers, multiprocessing_context=method, worker_init_fn=_init_worker)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    decimal.getcontext().rounding = decimal.ROUND_HALF_UP
    sqlite3.register_converter("point", as_pair)
    csv.field_size_limit(sys.maxsize)
    warnings.filterwarnings("error", category=RuntimeWarning)
    print("RESULT", [*load(args.workers, args.start_method)])


if __name__ == "__main__":
    main()
