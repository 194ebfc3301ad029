import argparse
import multiprocessing


class Simulation:
    """Plays a game in several processes."""

    def __init__(self, rounds, method):
        self.rounds = rounds
        self.method = method
        self.players = []

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("players", None)  # only the parent process uses it
        return state

    def _play(self, number, results):
        results.put((number, sum(number * step for step in range(self.rounds))))

    def start(self, count):
        context = multiprocessing.get_context(self.method)
        results = context.Queue()
        for number in range(count):
            player = context.Process(target=self._play, args=(number, results))
            player.start()
            self.players.append(player)
        return results

    def wait(self):
        for player in self.players:
            player.join()
        self.players.clear()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    simulation = Simulation(4, args.start_method)
    if args.workers:
        results = simulation.start(2)
        found = sorted(results.get() for _ in range(2))
        simulation.wait()
    else:
        found = [(number, sum(number * step for step in range(4))) for number in range(2)]
    print("RESULT", found)


if __name__ == "__main__":
    main()
