import argparse
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Clevr(Dataset):
    def __init__(self, question_h5, feature_h5=None, image_h5=None, mode="prefix"):
        if mode not in ["prefix", "postfix"]:
            raise ValueError('Invalid mode "%s"' % mode)
        self.image_h5 = image_h5
        self.feature_h5 = feature_h5
        self.mode = mode
        self.questions = question_h5["questions"][:]

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        image = None
        if self.image_h5 is not None:
            image = self.image_h5["images"][index]
        feats = np.zeros(2)
        if self.feature_h5 is not None:
            feats = self.feature_h5["features"][index]
        return self.questions[index], image, feats


def prepare(folder):
    with h5py.File(os.path.join(folder, "q.h5"), "w") as f:
        f["questions"] = np.arange(6)
    with h5py.File(os.path.join(folder, "i.h5"), "w") as f:
        f["images"] = np.arange(12.0).reshape(6, 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Clevr(
            h5py.File(os.path.join(folder, "q.h5"), "r"),
            image_h5=h5py.File(os.path.join(folder, "i.h5"), "r"),
        )
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
