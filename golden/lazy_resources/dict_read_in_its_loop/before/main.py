import argparse
import json
import pathlib
import tempfile
import zipfile

from pipeline.config import DataConfig
from pipeline.loader import make_loader


def prepare(cfg):
    n = 0
    for shard in cfg.shards:
        with zipfile.ZipFile(cfg.shard_path(shard), "w") as z:
            z.writestr("README", "not a record")
            for k in range(3):
                z.writestr(f"{k}.json", json.dumps({"id": f"{shard}{k}", "x": [n, n * n]}))
                n += 1


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    ns = ap.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        cfg = DataConfig(pathlib.Path(tmp), workers=ns.workers, start_method=ns.start_method)
        prepare(cfg)
        seen = []
        for x, ids in make_loader(cfg):
            seen.append((x.sum(0).tolist(), list(ids)))
    print("RESULT", seen)


if __name__ == "__main__":
    main()
