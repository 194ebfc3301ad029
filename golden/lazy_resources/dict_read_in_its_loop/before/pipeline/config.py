from dataclasses import dataclass, field
from pathlib import Path
from typing import List


@dataclass
class DataConfig:
    root: Path
    shards: List[str] = field(default_factory=lambda: ["a", "b", "c"])
    suffix: str = ".json"
    batch_size: int = 4
    workers: int = 0
    start_method: str = "spawn"

    def shard_path(self, shard: str) -> Path:
        return self.root / f"shard-{shard}.zip"
