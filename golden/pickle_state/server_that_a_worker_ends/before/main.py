import argparse
import multiprocessing as mp
import os
import signal
import subprocess
import sys


class Server:
    def __init__(self):
        self.process = None

    def restart(self):
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process = None
        code = "import time; time.sleep(60)"
        self.process = subprocess.Popen([sys.executable, "-c", code])


class Worker(mp.Process):
    def __init__(self, results):
        super().__init__()
        self.results = results
        self.server = Server()
        self.server.restart()

    def run(self):
        self.server.restart()
        running = self.server.process.poll() is None
        self.server.process.kill()
        self.results.put(running)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    if args.workers:
        mp.set_start_method(args.start_method)
    results = mp.SimpleQueue()
    worker = Worker(results)
    if args.workers:
        worker.start()
        worker.join()
    else:
        worker.run()
    first = worker.server.process
    if args.start_method != "fork":  # a forked worker has ended it
        first.kill()
    ended = first.wait(10) is not None
    print("RESULT", results.get(), ended)
