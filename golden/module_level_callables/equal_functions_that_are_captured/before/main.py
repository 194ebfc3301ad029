import argparse
import multiprocessing
from collections import Counter


class Trainer:
    def __init__(self, context, workers):
        self.context, self.workers = context, workers

    def gather(self, texts, merge):
        def work(queue, done):
            counts = Counter()
            for text in iter(queue.get, None):
                merge(counts, Counter(text.split()))
            done.put(counts)

        if not self.workers:
            counts = Counter()
            for text in texts:
                merge(counts, Counter(text.split()))
            return counts
        queue, done = self.context.Queue(), self.context.Queue()
        processes = [self.context.Process(target=work, args=(queue, done)) for _ in range(2)]
        for each in processes:
            each.start()
        for text in [*texts, None, None]:
            queue.put(text)
        total = Counter()
        for _ in processes:
            merge(total, done.get())
        for each in processes:
            each.join()
        return total

    def words(self, texts):
        def merge(ours, theirs):
            for word, number in theirs.items():
                ours[word] = ours.get(word, 0) + number

        return self.gather(texts, merge)

    def pieces(self, texts):
        def merge(ours, theirs):
            for word, number in theirs.items():
                ours[word] = ours.get(word, 0) + number

        return self.gather([" ".join(text) for text in texts], merge)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    trainer = Trainer(multiprocessing.get_context(args.start_method), args.workers)
    texts = ["a rose is a rose", "is a rose"]
    print("RESULT", sorted(trainer.words(texts).items()), sorted(trainer.pieces(texts).items()))


if __name__ == "__main__":
    main()
