import argparse
import multiprocessing as mp
import os
import signal
import subprocess
import sys


class Server:
    def __init__(self):
        self.process = None

    def __getstate__(self):
        state = self.__dict__.copy()
        state["process"] = None  # each process opens its own
        return state

    def restart(self):
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process = None
        code = "import time; time.sleep(60)"
        self.process = subprocess.Popen([sys.executable, "-c", code])


def work(server, results):
    server.restart()
    running = server.process.poll() is None
    server.process.kill()
    results.put(running)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = mp.get_context(args.start_method)
    results = context.SimpleQueue()
    server = Server()
    server.restart()
    first = server.process
    if args.workers:
        worker = context.Process(target=work, args=(server, results))
        worker.start()
        worker.join()
    else:
        work(server, results)
    if args.start_method != "fork":  # a forked worker has ended it
        first.kill()
    ended = first.wait(10) is not None
    print("RESULT", results.get(), ended)
