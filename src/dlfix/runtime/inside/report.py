"""What was seen, as JSON lines."""

import json
import threading


class Report:
    """JSON lines in a file of our own, so that the program's prints do not mix."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8") if path else None  # noqa: SIM115
        self.lock = threading.Lock()
        self.rows = []

    def write(self, event, **data):
        """Write one line."""
        row = dict(event=event, **data)
        if self.file is None:
            self.rows.append(row)
            return
        with self.lock:
            self.file.write(json.dumps(row, default=repr) + "\n")
            self.file.flush()
