"""Programs that send functions to their workers."""

from __future__ import annotations

from tests.differential.grammar import Family, Spec, but, conflict, indented

FEATURES = {
    "callable": {
        "lambda": 8, "named_lambda": 3, "local": 8, "factory": 4, "decorated": 2, "recursive": 2,
        "partial": 3, "bound": 2, "module_lambda": 2, "dispatch": 2, "class": 2, "nested": 2,
        "generator_helper": 1, "undressed": 2, "conditional": 2,
    },
    "capture": {
        "none": 6, "parameter": 6, "local": 4, "loop": 3, "rebound": 3, "rebound_before": 2,
        "mutated": 3, "filled_later": 2, "list_filled_later": 1, "self": 4, "self_changed": 2,
        "private": 2, "other": 3, "lock": 2, "handle": 1, "module_name": 2, "module_changed": 2,
        "two": 2, "function": 2, "comprehension": 1, "nonlocal": 1, "deleted": 1, "config": 2,
        "dataset": 1, "unpacked": 1, "attribute": 1, "exception": 1,
    },
    "parameters": {"plain": 8, "default": 2, "keyword_only": 1, "star": 1, "kwargs": 2},
    "stored": {
        "direct": 8, "list": 3, "dict": 3, "compose": 3, "attribute": 3, "options": 2,
        "tuple": 1, "variable": 2, "attribute_later": 2, "conditional": 1,
    },
    "asks": {
        "call": 12, "name": 2, "signature": 2, "isinstance": 2, "keyword": 2,
        "defaults": 1, "equal": 1, "method": 1,
    },
    "boundary": {
        "transform": 8, "collate": 5, "init": 2, "pool_map": 3, "process": 2, "executor": 2,
        "iterable": 1,
    },
    "scope": {"main": 3, "function": 3, "method": 3, "init": 3},
    "names": {"free": 6, "taken": 2, "builtin": 1},
    "style": {"plain": 5, "semicolon": 1, "typed": 1, "commented": 1},
    "epochs": {"1": 3, "2": 1},
    "modules": {"one": 1, "two": 1},
}  # fmt: skip

_not_sent_whole = "list dict compose tuple attribute attribute_later"

CONFLICTS = (
    # What a function's form allows.
    conflict("capture", but(FEATURES["capture"], "module_changed"), "module_name",
             callable="module_lambda"),
    conflict("scope", "method init", "main", callable="module_lambda"),
    conflict("scope", but(FEATURES["scope"], "method"), "method", callable="bound"),
    conflict("capture", but(FEATURES["capture"], "self"), "self", callable="bound"),
    conflict("parameters", but(FEATURES["parameters"], "plain"), "plain", callable="dispatch"),
    conflict("capture", "nonlocal private comprehension loop", "parameter", callable="class"),
    conflict("callable", "lambda named_lambda conditional partial undressed", "local",
             capture="nonlocal"),
    # Where what is captured exists.
    conflict("scope", "main function", "method", capture="self self_changed private attribute"),
    conflict("capture", "dataset", "local", boundary=but(FEATURES["boundary"], "collate")),
    conflict("capture", "dataset", "local", scope="method init"),
    # How it is stored, and what is asked of it.
    conflict("asks", but(FEATURES["asks"], "call"), "call",
             boundary=but(FEATURES["boundary"], "transform")),
    conflict("stored", _not_sent_whole, "variable", boundary=but(FEATURES["boundary"], "transform")),
    conflict("stored", "options", "direct", boundary="pool_map process executor"),
    conflict("asks", "keyword", "call",
             callable="dispatch recursive class partial bound nested generator_helper module_lambda"),
    conflict("asks", "name defaults", "call", callable="partial class"),
    conflict("parameters", "plain star", "kwargs", asks="keyword"),
    conflict("stored", "list dict compose tuple conditional", "direct",
             asks=but(FEATURES["asks"], "call")),
    # One function for each step of a loop.
    conflict("capture", "loop comprehension", "parameter",
             boundary=but(FEATURES["boundary"], "transform")),
    conflict("callable", but(FEATURES["callable"], "lambda"), "lambda", capture="comprehension"),
    conflict("callable", but(FEATURES["callable"], "lambda local"), "lambda", capture="loop"),
    conflict("stored", but(FEATURES["stored"], "list"), "list", capture="loop comprehension"),
    conflict("asks", but(FEATURES["asks"], "call"), "call", capture="loop comprehension"),
)  # fmt: skip


class Program:
    """Writes one program."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.batch = spec["boundary"] == "collate"
        self.top: list[str] = []  # of the module in which the function is
        self.before: list[str] = []  # statements before the function
        self.after: list[str] = []  # between the function and the workers' start
        self.fields: list[str] = []  # statements in __init__
        self.value = self._capture()
        self.name = "scaled" if spec["names"] != "builtin" else "filter"
        if spec["names"] == "taken":
            self.top += [
                "def _scaled(value):",
                "    return -value",
                "",
                "",
                "def _transform(value):",
                "    return -value",
                "",
                "",
                "_collate_fn = None",
                "SCALE = 1",
                "",
                "",
            ]

    def _capture(self) -> str:
        """Prepare what is captured; return the expression that stands for it."""
        match self.spec["capture"]:
            case "none":
                return "3"
            case "parameter":
                return "factor"
            case "local":
                self.before += ["offset = factor + 1"]
                return "offset"
            case "loop":
                return "step"
            case "comprehension":
                return "step"
            case "rebound":
                self.before += ["offset = factor + 1"]
                self.after += ["offset = offset * 10"]
                return "offset"
            case "rebound_before":
                self.before += ["offset = factor", "if offset > 1:", "    offset = offset + 5"]
                return "offset"
            case "mutated":
                self.before += ["weights = [factor]"]
                self.after += ["weights.append(7)"]
                return "sum(weights)"
            case "filled_later":
                self.before += ["model = None"]
                self.after += ["model = {'bias': factor}"]
                return "(model or {'bias': 0})['bias']"
            case "list_filled_later":
                self.before += ["found = {}"]
                self.after += ["found['bias'] = factor"]
                return "found.get('bias', 0)"
            case "self":
                return "self.factor"
            case "self_changed":
                self.after += ["self.factor = 11"]
                return "self.factor"
            case "private":
                self.fields += ["self.__hidden = factor + 4"]
                return "self.__hidden"
            case "attribute":
                self.before += ["owner = self"]
                return "owner.factor"
            case "other":
                self.before += ["shift = lambda number: number + factor"]
                return "shift(2)"
            case "function":
                self.before += ["def shift(number):", "    return number + factor", ""]
                return "shift(2)"
            case "lock":
                self.before += ["lock = threading.Lock()"]
                return "(2 + lock.locked())"
            case "handle":
                self.before += ["source = open(__file__)"]
                return "(2 + source.closed)"
            case "module_name":
                self.top += ["BIAS = 4", "", ""]
                return "BIAS"
            case "module_changed":
                self.top += [
                    "BIAS = 4",
                    "",
                    "",
                    "def set_bias(number):",
                    "    global BIAS",
                    "    BIAS = number",
                    "",
                    "",
                ]
                self.before += ["set_bias(factor + 5)"]
                return "BIAS"
            case "two":
                self.before += ["low, high = factor, factor + 3"]
                return "(low * 3 + high)"
            case "unpacked":
                self.before += ["(low, *rest) = [factor, 5, 6]"]
                return "(low + rest[1])"
            case "nonlocal":
                self.before += ["count = 0"]
                return "count"
            case "deleted":
                self.before += ["offset = factor", "spare = offset", "del spare"]
                return "offset"
            case "config":
                self.top += ["class Config:", "    scale = 2", "", ""]
                self.before += ["config = Config()", "config.scale = factor"]
                self.after += ["config.scale = 9"]
                return "config.scale"
            case "dataset":
                return "len(data)"
            case "exception":
                self.before += [
                    "try:",
                    "    offset = int('x')",
                    "except ValueError:",
                    "    offset = factor",
                ]
                return "offset"
        return "3"

    # The function

    def _parameters(self, plain: str) -> tuple[str, str]:
        """Return its parameters, and what they add to its value."""
        match self.spec["parameters"]:
            case "default":
                return f"{plain}, bias=1", " + bias"
            case "keyword_only":
                return f"{plain}, *, bias=1", " + bias"
            case "star":
                return f"{plain}, *more", " + len(more)"
            case "kwargs":
                return f"{plain}, **more", " + sum(more.values())"
        return plain, ""

    def function(self) -> tuple[list[str], str]:
        """Return the statements that make it, and the expression that names it."""
        spec = self.spec
        parameters, more = self._parameters("batch" if self.batch else "value")
        value = self.value
        one = f"value * 2 + {value}{more}"
        if spec["boundary"] == "init":
            body = f"random.seed(value + {value}{more})"
        elif self.batch:
            body = f"[{one} for value in batch]"
        else:
            body = one
        name = self.name
        match spec["callable"]:
            case "lambda":
                return [], f"lambda {parameters}: {body}"
            case "named_lambda":
                return [f"{name} = lambda {parameters}: {body}"], name
            case "conditional":
                return [
                    "if factor > 1:",
                    f"    {name} = lambda {parameters}: {body}",
                    "else:",
                    f"    {name} = lambda {parameters}: 0",
                ], name
            case "local":
                return self._local(name, parameters, body), name
            case "factory":
                return self._factory(name, parameters, body)
            case "decorated":
                return self._decorated(name, parameters, body)
            case "undressed":
                return self._decorated(name, parameters, body, wraps=False)
            case "recursive":
                if self.batch or spec["boundary"] == "init":
                    return self._local(name, parameters, body), name
                return [
                    f"def {name}({parameters}):",
                    "    if value > 3:",
                    f"        return {name}(value - 2) + 1",
                    f"    return {body}",
                    "",
                ], name
            case "partial":
                first = "batch" if self.batch else "value"
                whole = body.replace(value, "given") if value != "3" else body
                given = value if value != "3" else "3"
                if spec["boundary"] == "init":
                    whole = "random.seed(value + given)"
                return [
                    f"def {name}({first}, given):",
                    f"    return {whole.replace(more, '')}",
                    "",
                ], f"functools.partial({name}, given={given})"
            case "bound":
                return [], "self._scaled"
            case "module_lambda":
                self.top += [f"{name} = lambda {parameters}: {body}", "", ""]
                return [], name
            case "dispatch":
                self.before += [
                    "@functools.singledispatch",
                    f"def {name}(value):",
                    "    return value",
                    "",
                    f"@{name}.register(list)",
                    "def _of_list(batch):",
                    f"    return {body if self.batch else 0}",
                    "",
                    f"@{name}.register(int)",
                    "def _of_int(value):",
                    f"    return {body if not self.batch else 0}",
                    "",
                ]
                return [], name
            case "class":
                first = "batch" if self.batch else "value"
                return [
                    "class Scaled:",
                    f"    def __call__(self, {parameters}):",
                    f"        return {body.replace('self.', 'outer.')}",
                    "",
                ], "Scaled()"
            case "nested":
                return [
                    f"inner = lambda value: value + {value}",
                    f"{name} = lambda {parameters}: "
                    + ("[inner(value) for value in batch]" if self.batch else "inner(value)"),
                ], name
            case "generator_helper":
                call = "[one(value) for value in batch]" if self.batch else "one(value)"
                return [
                    "def one(value):",
                    f"    return value + {value}",
                    "",
                    f"def {name}({parameters}):",
                    f"    return {call}",
                    "",
                ], name
        return [], "abs"

    def _local(self, name: str, parameters: str, body: str) -> list[str]:
        lines = [f"def {name}({parameters}):"]
        if self.spec["style"] == "commented":
            lines += ['    """Scales."""', "    # twice and more"]
        if self.spec["capture"] == "nonlocal":
            lines += ["    nonlocal count", "    count += 1"]
        return [*lines, f"    return {body}", ""]

    def _factory(self, name: str, parameters: str, body: str) -> tuple[list[str], str]:
        """Return a closure that a function of the module makes."""
        if self.spec["capture"] in ("parameter", "none"):
            self.top += [
                "def make_scaled(factor):",
                f"    def {name}({parameters}):",
                f"        return {body}",
                "",
                f"    return {name}",
                "",
                "",
            ]
            return [], "make_scaled(factor)"
        lines = [
            "def make_scaled(extra):",
            *indented(self._local(name, parameters, body), 1),
            f"    return {name}",
            "",
        ]
        return lines, "make_scaled(factor)"

    def _decorated(self, name: str, parameters: str, body: str, *, wraps: bool = True) -> tuple[list[str], str]:  # fmt: skip
        self.top += [
            "def logged(function):",
            *(["    @functools.wraps(function)"] if wraps else []),
            "    def wrapper(*args, **kwargs):",
            "        return function(*args, **kwargs)",
            "",
            "    return wrapper",
            "",
            "",
        ]
        return ["@logged", *self._local(name, parameters, body)], name

    # Where it goes

    def stored(self, made: str) -> tuple[list[str], str]:
        """Return the statements that store it, and what is handed over."""
        match self.spec["stored"]:
            case "variable":
                return [f"chosen = {made}"], "chosen"
            case "list":
                return [f"steps = [abs, {made}]"], "steps"
            case "tuple":
                return [], f"(abs, {made})"
            case "dict":
                return [f'table = {{"train": {made}, "test": abs}}'], 'table["train"]'
            case "compose":
                return [], f"Compose([abs, {made}])"
            case "conditional":
                return [], f"({made}) if factor else None"
        return [], made

    def body(self) -> list[str]:
        """The statements around the function, up to what the workers give."""
        spec = self.spec
        made, expression = self.function()
        if spec["capture"] in ("loop", "comprehension"):
            return self._in_loop(made, expression)
        stored, handed = self.stored(expression)
        lines = [*self.before, *made, *stored]
        if (
            spec["style"] == "semicolon"
            and self.before
            and spec["callable"] in ("lambda", "named_lambda")
        ):
            simple = [
                line
                for line in lines
                if line.startswith(("offset =", "chosen =", "weights =", "scaled =", "low, high"))
            ]
            if len(simple) > 1 and simple == lines[: len(simple)]:
                lines = ["; ".join(simple), *lines[len(simple) :]]
        return [*lines, *self.send(handed)]

    def _in_loop(self, made: list[str], expression: str) -> list[str]:
        if self.spec["capture"] == "comprehension":
            return [
                *self.before,
                f"steps = [{expression} for step in (factor, 2)]",
                *self.send("steps"),
            ]
        return [
            *self.before,
            "steps = []",
            "for step in (factor, 2):",
            *indented(made, 1),
            f"    steps.append({expression})",
            *self.send("steps"),
        ]

    def send(self, handed: str) -> list[str]:
        """Hand it over, and collect what comes back."""
        boundary = self.spec["boundary"]
        if boundary == "pool_map":
            lines = [
                f"function = {handed}",
                *self.after,
                "if args.workers:",
                "    with context.Pool(args.workers) as pool:",
                "        out = pool.map(function, range(6))",
                "else:",
                "    out = [function(value) for value in range(6)]",
            ]
        elif boundary == "executor":
            lines = [
                f"function = {handed}",
                *self.after,
                "if args.workers:",
                "    with ProcessPoolExecutor(args.workers, mp_context=context) as pool:",
                "        out = list(pool.map(function, range(6)))",
                "else:",
                "    out = [function(value) for value in range(6)]",
            ]
        elif boundary == "process":
            lines = [
                f"function = {handed}",
                *self.after,
                "if args.workers:",
                "    results = context.SimpleQueue()",
                "    process = context.Process(target=work, args=(function, results))",
                "    process.start()",
                "    out = results.get()",
                "    process.join()",
                "else:",
                "    out = [function(value) for value in range(6)]",
            ]
        else:
            lines = self._loader(handed)
        return lines

    def _loader(self, handed: str) -> list[str]:
        spec, boundary = self.spec, self.spec["boundary"]
        common = (
            "batch_size=2, num_workers=args.workers, "
            "multiprocessing_context=args.start_method if args.workers else None"
        )
        data = "Items(range(6))"
        option = ""
        if boundary in ("transform", "iterable"):
            data = f"Items(range(6), {handed})"
        elif boundary == "collate":
            option = f", collate_fn={handed}"
        elif boundary == "init":
            option = f", worker_init_fn={handed}"
        lines = [f"data = {data}"]
        if spec["stored"] == "attribute_later":
            lines = ["data = Items(range(6))", f"data.transform = {handed}"]
        if spec["capture"] == "dataset":
            lines = ["data = Items(range(6))"]
        if spec["stored"] == "options" and option:
            key, _, value = option[2:].partition("=")
            lines += [f'options = {{"{key}": {value}}}']
            option = ", **options"
        lines += self.after
        lines += [
            f"loader = DataLoader(data, {common}{option})",
            "out = []",
            f"for _ in range({spec['epochs']}):",
        ]
        read = "batch" if boundary == "collate" else "batch.tolist()"
        lines += [f"    out.append([{read} for batch in loader])"]
        if boundary == "transform" and self._looks():
            lines += ["out.append(data.looked)"]
        return lines

    def _looks(self) -> str:
        return {
            "name": "transform.__name__.strip('<>_').isidentifier()",
            "signature": "len(inspect.signature(transform).parameters)",
            "isinstance": "isinstance(transform, types.FunctionType)",
            "defaults": "transform.__defaults__ is None",
            "method": "isinstance(transform, types.MethodType)",
            "equal": "transform == transform",
        }.get(self.spec["asks"], "")

    def items(self) -> list[str]:
        """The dataset that applies it."""
        spec = self.spec
        call = "self.transform(value)"
        if spec["asks"] == "keyword":
            call = {"kwargs": "self.transform(value, factor=5, offset=1)"}.get(
                spec["parameters"], "self.transform(value, bias=5)"
            )
        lines = [
            "class Items(Dataset):",
            "    def __init__(self, values, transform=None):",
            "        self.values = list(values)",
            "        self.transform = transform",
        ]
        if self._looks():
            lines += [f"        self.looked = {self._looks()} if transform else None"]
        if spec["stored"] == "attribute":
            lines += ["        self.apply = self.transform"]
        lines += [
            "",
            "    def __len__(self):",
            "        return len(self.values)",
            "",
            "    def __getitem__(self, index):",
            "        value = self.values[index]",
            "        if isinstance(self.transform, (list, tuple)):",
            "            for step in self.transform:",
            "                value = step(value)",
            "            return value",
            "        if self.transform is None:",
            "            return value",
            f"        return {call}",
            "",
        ]
        if spec["boundary"] == "iterable":
            lines = [
                "class Items(IterableDataset):",
                "    def __init__(self, values, transform=None):",
                "        self.values = list(values)",
                "        self.transform = transform",
                "",
                "    def __iter__(self):",
                "        info = get_worker_info()",
                "        first, step = (info.id, info.num_workers) if info else (0, 1)",
                "        for value in self.values[first::step]:",
                "            yield self.transform(value) if self.transform else value",
                "",
            ]
        if spec["stored"] == "compose":
            lines += [
                "",
                "class Compose:",
                "    def __init__(self, steps):",
                "        self.steps = steps",
                "",
                "    def __call__(self, value):",
                "        for step in self.steps:",
                "            value = step(value)",
                "        return value",
                "",
            ]
        if spec["boundary"] == "process":
            lines += [
                "",
                "def work(function, results):",
                "    results.put([function(value) for value in range(6)])",
                "",
            ]
        return lines

    def files(self) -> dict[str, str]:
        spec = self.spec
        body = self.body()
        if spec["boundary"] == "iterable":
            body += ["out = [sorted(value for batch in epoch for value in batch) for epoch in out]"]
        body += ["return out"]
        needs = any(word in "\n".join(body) for word in ("context.", "=context"))
        head = ["context = multiprocessing.get_context(args.start_method)"] if needs else []
        runner: list[str] = []
        match spec["scope"]:
            case "main":
                runner = ["def run(args, factor):", *indented([*head, *body], 1), ""]
            case "function":
                runner = [
                    "def build(args, factor):",
                    *indented([*head, *body], 1),
                    "",
                    "",
                    "def run(args, factor):",
                    "    return build(args, factor)",
                    "",
                ]
            case "method" | "init":
                fields = ["self.factor = factor", *self.fields]
                bound = []
                if spec["callable"] == "bound":
                    parameters, more = self._parameters("batch" if self.batch else "value")
                    one = f"value * 2 + self.factor{more}"
                    text = f"[{one} for value in batch]" if self.batch else one
                    if spec["boundary"] == "init":
                        text = f"random.seed(value + self.factor{more})"
                    bound = ["", f"    def _scaled(self, {parameters}):", f"        return {text}"]
                if spec["scope"] == "method":
                    runner = [
                        "class Experiment:",
                        "    def __init__(self, factor):",
                        *indented(fields, 2),
                        *bound,
                        "",
                        "    def run(self, args, factor):",
                        *indented([*head, *body], 2),
                    ]
                else:
                    body = [*body[:-1], "self.out = out"]
                    runner = [
                        "class Experiment:",
                        "    def __init__(self, args, factor):",
                        *indented([*fields, *head, *body], 2),
                        *bound,
                    ]
                call = (
                    "Experiment(factor).run(args, factor)"
                    if spec["scope"] == "method"
                    else "Experiment(args, factor).out"
                )
                runner += ["", "", "def run(args, factor):", f"    return {call}", ""]
                if spec["callable"] == "class" and "outer." in "\n".join(runner):
                    runner = (
                        "\n".join(runner)
                        .replace("class Scaled:", "outer = self\nclass Scaled:")
                        .split("\n")
                    )
                    runner = _reindented(runner)
        main = [
            "def main():",
            *indented(ARGUMENTS, 1),
            '    print("RESULT", run(args, 2))',
            '    print("FDS", len(os.listdir("/proc/self/fd")))',
            "",
            "",
            'if __name__ == "__main__":',
            "    main()",
        ]
        if spec["modules"] == "two":
            names = [
                name
                for name in ("Items", "Compose", "work")
                if f"{name}(" in "\n".join(runner) or f"={name}," in "\n".join(runner)
            ]
            local = [f"from items import {', '.join(names)}"] if names else []
            return {
                "items.py": _module(self.items(), []),
                "main.py": _module([*self.top, *runner, "", *main], local),
            }
        return {"main.py": _module([*self.items(), "", *self.top, *runner, "", *main], [])}


def _reindented(lines: list[str]) -> list[str]:
    """Indent the line put before a class like the class."""
    found = []
    for at, line in enumerate(lines):
        if (
            line.endswith("outer = self")
            and at + 1 < len(lines)
            and lines[at + 1].strip() == "class Scaled:"
        ):
            indent = line[: len(line) - len(line.lstrip())]
            found += [line]
            lines[at + 1] = indent + "class Scaled:"
        else:
            found.append(lines[at])
    return found


ARGUMENTS = [
    "parser = argparse.ArgumentParser()",
    'parser.add_argument("--workers", type=int, default=0)',
    'parser.add_argument("--start-method", default="spawn")',
    "args = parser.parse_args()",
]
MODULES = (
    "argparse",
    "functools",
    "inspect",
    "multiprocessing",
    "os",
    "random",
    "threading",
    "types",
)


def _module(lines: list[str], local: list[str]) -> str:
    text = "\n".join(lines).strip("\n") + "\n"
    imports = [f"import {name}" for name in MODULES if f"{name}." in text]
    if "ProcessPoolExecutor" in text:
        imports.append("from concurrent.futures import ProcessPoolExecutor")
    torch = [
        name
        for name in ("DataLoader", "Dataset", "IterableDataset", "get_worker_info")
        if f"{name}(" in text.replace(f"class {name}(", "") or f"({name})" in text
    ]
    blocks = [imports, [f"from torch.utils.data import {', '.join(torch)}"] if torch else [], local]
    head = "\n\n".join("\n".join(block) for block in blocks if block)
    while "\n\n\n\n" in text:
        text = text.replace("\n\n\n\n", "\n\n\n")
    return (head + "\n\n\n" if head else "") + text


def render(spec: Spec) -> dict[str, str]:
    """Write a program down."""
    return Program(dict(spec)).files()


FAMILY = Family("callables", FEATURES, CONFLICTS, render)
