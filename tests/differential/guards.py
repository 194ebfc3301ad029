"""Scripts with and without a main guard, and module state that workers read."""

from __future__ import annotations

from tests.differential.grammar import Family, Spec, but, conflict, indented

FEATURES = {
    "shape": {"script": 8, "function": 4, "guarded": 5, "class_in_guard": 3, "function_in_guard": 2},
    "state": {
        "constant": 6, "argument": 3, "global_function": 4, "globals_dict": 2, "settings_call": 4,
        "settings_attribute": 3, "class_attribute": 2, "environ": 2, "appended": 2, "item": 2,
        "loop": 2, "with": 1, "try": 1, "augmented": 2, "cached": 1, "registry": 2, "patched": 2,
        "rebound": 2, "object": 2, "global_main": 3, "walrus": 1, "branch": 2,
    },
    "reader": {"getitem": 6, "collate": 3, "constructor": 2, "function": 3},
    "when": {"before": 4, "after_class": 3, "after_construction": 3},
    "extra": {"nothing": 6, "log": 3, "print": 1, "helper_below": 2, "two_loops": 2, "docstring": 1,
              "list_of_loaders": 1, "chdir": 1},
    "parser": {"top": 3, "inside": 1},
    "modules": {"one": 2, "two": 1},
}  # fmt: skip

_elsewhere = "settings_call settings_attribute environ patched"

CONFLICTS = (
    conflict("state", but(FEATURES["state"], _elsewhere), "settings_call", modules="two"),
    conflict("modules", "two", "one", shape="class_in_guard"),
    conflict("shape", but(FEATURES["shape"], "function"), "function_in_guard", state="global_main"),
    conflict("state", "argument loop with try augmented rebound walrus branch object", "global_main",
             shape="function function_in_guard"),
    conflict("when", "before", "after_class", state="class_attribute registry"),
    conflict("reader", "collate function", "getitem", state="class_attribute"),
    conflict("when", "after_construction", "after_class", reader="constructor"),
)  # fmt: skip


# For each kind of state: what the module defines, what sets it, how it is read.
STATES: dict[str, tuple[list[str], list[str], str]] = {
    "constant": (["SCALE = 3"], [], "SCALE"),
    "argument": ([], ["SCALE = args.factor"], "SCALE"),
    "global_function": (
        ["SCALE = 1", "", "", "def init(number):", "    global SCALE", "    SCALE = number", ""],
        ["init(5)"], "SCALE",
    ),
    "globals_dict": (["SCALE = 1", "", "", "def init(number):",
                      '    globals()["SCALE"] = number', ""], ["init(5)"], "SCALE"),
    "settings_call": (["import settings"], ["settings.configure(scale=5)"], "settings.scale"),
    "settings_attribute": (["import settings"], ["settings.scale = 5"], "settings.scale"),
    "class_attribute": ([], ["Rows.scale = 5"], "self.scale"),
    "environ": ([], ['os.environ["SCALE"] = "5"'], 'int(os.environ.get("SCALE", 1))'),
    "appended": (["SCALES = [1]"], ["SCALES.append(4)"], "sum(SCALES)"),
    "item": (['TABLE = {"scale": 1}'], ['TABLE["scale"] = 5'], 'TABLE["scale"]'),
    "loop": (["SCALE = 1"], ["for number in (2, 3):", "    SCALE = SCALE * number"], "SCALE"),
    "with": ([], ["with open(__file__) as source:", "    SCALE = len(source.readline())"], "SCALE"),
    "try": ([], ["try:", '    SCALE = int("x")', "except ValueError:", "    SCALE = 4"], "SCALE"),
    "augmented": (["SCALE = 1"], ["SCALE += 4"], "SCALE"),
    "cached": (["@functools.lru_cache", "def scale():", '    return int(os.environ.get("SCALE", 1))', ""],
               ['os.environ["SCALE"] = "5"', "scale()", 'os.environ["SCALE"] = "7"'], "scale()"),
    "registry": (["READERS = {}", "", "", "def register(name):", "    def keep(function):",
                  "        READERS[name] = function", "        return function", "", "    return keep",
                  ""],
                 ['@register("double")', "def double(value):", "    return value * 2", ""],
                 'READERS["double"](2)'),
    "patched": (["import settings"], ["settings.weigh = max"], "settings.weigh(2, 6)"),
    "rebound": (["SCALE = 1"], ["SCALE = SCALE + 4"], "SCALE"),
    "object": (["class Options:", "    scale = 1", "", "", "OPTIONS = Options()"],
               ["OPTIONS.scale = args.factor"], "OPTIONS.scale"),
    "global_main": (["SCALE = 1"], ["SCALE = args.factor"], "SCALE"),
    "walrus": (["SCALE = 1"], ["if (SCALE := args.factor) > 3:", "    SCALE -= 1"], "SCALE"),
    "branch": (["SCALE = 1"], ["if args.factor > 3:", "    SCALE = 6"], "SCALE"),
}  # fmt: skip

PARSER = [
    "parser = argparse.ArgumentParser()",
    'parser.add_argument("--workers", type=int, default=0)',
    'parser.add_argument("--start-method", default="spawn")',
    'parser.add_argument("--factor", type=int, default=5)',
    "args = parser.parse_args()",
]


class Program:
    """Writes one program."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.defined, self.sets, self.read = STATES[spec["state"]]

    def dataset(self) -> list[str]:
        spec, read = self.spec, self.read
        lines = []
        if spec["reader"] == "function":
            lines += ["def scaled(value):", f"    return value * {read}", "", ""]
        lines += ["class Rows(Dataset):"]
        if spec["state"] == "class_attribute":
            lines += ["    scale = 1", ""]
        lines += ["    def __init__(self, values):", "        self.values = list(values)"]
        if spec["reader"] == "constructor":
            lines += [f"        self.factor = {read}"]
        value = {
            "getitem": f"self.values[index] * {read}",
            "function": "scaled(self.values[index])",
            "constructor": "self.values[index] * self.factor",
        }.get(spec["reader"], "self.values[index]")
        lines += [
            "",
            "    def __len__(self):",
            "        return len(self.values)",
            "",
            "    def __getitem__(self, index):",
            f"        return {value}",
            "",
        ]
        if spec["reader"] == "collate":
            lines += [
                "",
                "def collate(batch):",
                f"    return [value * {read} for value in batch]",
                "",
            ]
        return lines

    def run(self) -> list[str]:
        """The statements that build the loader and read it."""
        spec = self.spec
        option = ", collate_fn=collate" if spec["reader"] == "collate" else ""
        read = "batch" if option else "batch.tolist()"
        made = (
            "DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context="
            f"args.start_method if args.workers else None{option})"
        )
        lines = []
        if spec["extra"] == "log":
            lines += ['with open("log.txt", "a") as log:', '    log.write("started\\n")']
        if spec["extra"] == "print":
            lines += ['print("starting")']
        if spec["extra"] == "chdir":
            lines += ['os.makedirs("work", exist_ok=True)', 'os.chdir("work")']
        before = self.sets if spec["when"] != "after_construction" else []
        late = self.sets if spec["when"] == "after_construction" else []
        if spec["when"] == "before":
            before = []
        lines += [*before, "rows = Rows(range(1, 6))", *late]
        if spec["extra"] == "list_of_loaders":
            lines += [
                f"loaders = [{made} for _ in range(2)]",
                "out = []",
                "for loader in loaders:",
                f"    out.append([{read} for batch in loader])",
            ]
        else:
            lines += [
                f"loader = {made}",
                "out = []",
                "for batch in loader:",
                f"    out.append({read})",
            ]
        if spec["extra"] == "two_loops":
            lines += ["for batch in loader:", f"    out.append({read})"]
        if spec["extra"] == "helper_below":
            lines += ["out = tidy(out)"]
        return [*lines, 'print("RESULT", out)', 'print("FDS", len(os.listdir("/proc/self/fd")))']

    def files(self) -> dict[str, str]:
        spec = self.spec
        early = self.sets if spec["when"] == "before" else []
        run = self.run()
        parser = PARSER
        shape = spec["shape"]
        defined = [line for line in self.defined if not line.startswith("import ")]
        helper = (
            ["def tidy(out):", "    return [out]", "", ""]
            if spec["extra"] == "helper_below"
            else []
        )
        dataset = self.dataset()
        files: dict[str, str] = {}
        if "import settings" in self.defined:
            files["settings.py"] = (
                "scale = 1\nweigh = min\n\n\ndef configure(**options):\n"
                "    globals().update(options)\n"
            )
        local = ["import settings"] if "import settings" in self.defined else []
        in_main: list[str] = []
        names = ["Rows", "collate"] if spec["reader"] == "collate" else ["Rows"]
        if spec["modules"] == "two":
            files["rows.py"] = _module(dataset, local)
            dataset = []
            local = [*local, f"from rows import {', '.join(names)}"]
        in_function = shape in ("function", "function_in_guard")
        declared = ["global SCALE"] if spec["state"] == "global_main" else []
        if in_function:
            top_parser = parser if spec["parser"] == "top" and shape == "function" else []
            inner = [
                *declared,
                *([] if top_parser else parser),
                *(early if spec["state"] == "global_main" else []),
                *run,
            ]
            early = [] if spec["state"] == "global_main" else early
            call = (
                ["main()"] if shape == "function" else ['if __name__ == "__main__":', "    main()"]
            )
            lines = [
                *defined,
                "",
                *early,
                "",
                *top_parser,
                "",
                *dataset,
                "",
                *helper,
                "def main():",
                *indented(inner, 1),
                "",
                "",
                *call,
            ]
        elif shape == "class_in_guard":
            lines = [
                *defined,
                "",
                *helper,
                'if __name__ == "__main__":',
                *indented([*parser, *early, "", *dataset, "", *run], 1),
            ]
        elif shape == "guarded":
            under = [*parser, *early, *run]
            lines = [
                *defined,
                "",
                "",
                *dataset,
                "",
                *helper,
                'if __name__ == "__main__":',
                *indented(under, 1),
            ]
        else:
            lines = [*defined, "", *parser, *early, "", "", *dataset, "", *helper, *run]
        if spec["extra"] == "docstring":
            in_main = ['"""A small program."""', ""]
        files["main.py"] = "\n".join(in_main) + ("\n" if in_main else "") + _module(lines, local)
        return files


def _module(lines: list[str], local: list[str]) -> str:
    text = "\n".join(lines).strip("\n") + "\n"
    imports = [f"import {name}" for name in ("argparse", "functools", "os") if f"{name}." in text]
    torch = [
        name for name in ("DataLoader", "Dataset") if f"{name}(" in text or f"({name})" in text
    ]
    used = [line for line in local if line.split()[-1] in text or line.startswith("from")]
    blocks = [imports, [f"from torch.utils.data import {', '.join(torch)}"] if torch else [], used]
    head = "\n\n".join("\n".join(block) for block in blocks if block)
    while "\n\n\n\n" in text:
        text = text.replace("\n\n\n\n", "\n\n\n")
    return (head + "\n\n\n" if head else "") + text


def render(spec: Spec) -> dict[str, str]:
    """Write a program down."""
    return Program(dict(spec)).files()


FAMILY = Family("guards", FEATURES, CONFLICTS, render)
