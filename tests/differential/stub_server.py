"""The golden programs' server, with the stand-in for torch and this folder's guard preloaded."""

import json
import multiprocessing
import sys
from multiprocessing import forkserver, resource_tracker

import server
import stub_warm  # noqa: F401


def main():
    multiprocessing.set_forkserver_preload(["stub_warm"])
    resource_tracker.ensure_running()
    forkserver.ensure_running()
    for line in sys.stdin:
        print(json.dumps(server.run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
