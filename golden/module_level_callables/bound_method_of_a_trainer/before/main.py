import argparse
import tempfile

import torch
from torch.utils.data import DataLoader


class History:
    def __init__(self):
        self.file = tempfile.TemporaryFile("w+")

    def on_batch(self, batch):
        self.file.write(f"{batch.tolist()} ")


class Trainer:
    def __init__(self, rows, config, hooks):
        self.rows = rows
        self.config = config
        self.hooks = hooks
        self._scale = config["scale"]

    def collate(self, samples):
        longest = min(max(map(len, samples)), self.config["longest"])
        padded = [(sample + [0] * longest)[:longest] for sample in samples]
        return torch.tensor(padded) * self._scale

    def loader(self, workers, context):
        return DataLoader(
            self.rows,
            batch_size=2,
            collate_fn=self.collate,
            num_workers=workers,
            multiprocessing_context=context if workers else None,
        )

    def call(self, hook, *args):
        for each in self.hooks:
            getattr(each, hook)(*args)

    def run(self, workers, context):
        found = [self.collate(self.rows[:1]).tolist()]
        for batch in self.loader(workers, context):
            self.call("on_batch", batch)
            found.append(batch.tolist())
        return found


def main(args):
    rows = [[1], [2, 3], [4, 5, 6], [7, 8, 9, 10]]
    trainer = Trainer(rows, {"longest": 3, "scale": 2}, [History()])
    print("RESULT", trainer.run(args.workers, args.start_method))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    main(parser.parse_args())
