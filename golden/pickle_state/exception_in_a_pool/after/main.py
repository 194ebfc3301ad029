import argparse
import multiprocessing


class ParseError(Exception):
    def __init__(self, line, reason):
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason

    def __reduce__(self):
        return type(self), (self.line, self.reason), self.__dict__


def parse(text):
    if not text.isdigit():
        raise ParseError(text, "no number")
    return int(text)


def run(pool, texts):
    try:
        return pool.map_async(parse, texts).get(8)
    except ParseError as error:
        return error.reason


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    texts = ["1", "x"]
    if not args.workers:
        try:
            print("RESULT", [parse(t) for t in texts])
        except ParseError as error:
            print("RESULT", error.reason)
        return
    with multiprocessing.get_context(args.start_method).Pool(args.workers) as pool:
        print("RESULT", run(pool, texts))


if __name__ == "__main__":
    main()
