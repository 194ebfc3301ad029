import argparse
import json
import pathlib
import pickle
import tempfile

from torch.utils.data import ConcatDataset, DataLoader

from samples import Samples


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        for i in range(4):
            (pathlib.Path(tmp) / f"{i}.json").write_text(json.dumps([i, 1]))
            (pathlib.Path(tmp) / f"{i}.pkl").write_bytes(pickle.dumps([i, 2]))
        data = ConcatDataset([Samples(tmp), Samples(tmp, suffix=".pkl")])
        loader = DataLoader(data, batch_size=3, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers else None)
        print("RESULT", [b.tolist() for b in loader])


if __name__ == "__main__":
    main()
