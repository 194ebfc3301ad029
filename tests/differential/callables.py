"""Programs that send functions to their workers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.differential.grammar import Family, Spec, but, conflict, indented


@dataclass(frozen=True)
class Capture:
    """What a function captures: the statements around it, and the expression in it."""

    value: str
    before: str = ""  # statements before the function
    after: str = ""  # between the function and the workers' start
    top: str = ""  # of the module
    in_class: bool = False  # where `self` exists


# Captures without code of their own.
CAPTURES = {
    "augmented_before": Capture("offset", "offset = factor\noffset += 4"),
    "augmented_after": Capture("offset", "offset = factor", "offset += 4"),
    "loop_ended": Capture("step", "for step in (factor, 4):\n    pass"),
    "loop_rebinds": Capture("step", "step = factor", "for step in (factor, 4):\n    pass"),
    "with_name": Capture("len(first)", "with open(__file__) as source:\n    first = source.readline()"),
    "with_handle": Capture("(2 + source.closed)", "with open(__file__) as source:\n    pass"),
    "with_rebinds": Capture("len(str(offset))", "offset = factor", "with open(__file__) as source:\n    offset = source.readline()"),
    "import_inside": Capture("decimal.Decimal(factor).adjusted()", "import decimal"),
    "import_from_inside": Capture("gcd(6, factor)", "from math import gcd"),
    "import_rebinds": Capture("gcd(6, factor)", "gcd = max", "from math import gcd"),
    "walrus": Capture("offset", "if (offset := factor + 2) > 1:\n    pass"),
    "walrus_after": Capture("offset", "offset = factor", "if (offset := factor + 2) > 1:\n    pass"),
    "deleted_after": Capture("weights[0]", "weights = [factor, 3]", "del weights[0]"),
    "item_set": Capture("table['bias']", "table = {'bias': factor}", "table['bias'] = 8"),
    "item_set_by_update": Capture("table['bias']", "table = {'bias': factor}", "table.update(bias=8)"),
    "item_set_by_alias": Capture("table['bias']", "table = {'bias': factor}\nalias = table", "alias['bias'] = 8"),
    "item_set_by_helper": Capture("table['bias']", "table = {'bias': factor}", "change(table)", "def change(table):\n    table['bias'] = 8\n\n\n"),
    "nested_list": Capture("sum(weights[0])", "weights = ([factor],)", "weights[0].append(6)"),
    "set_grows": Capture("len(names)", "names = {factor}", "names.add('more')"),
    "bytes_change": Capture("sum(data_)", "data_ = bytearray([factor])", "data_[0] = 9"),
    "slice_set": Capture("sum(weights)", "weights = [factor, 1]", "weights[:] = [5]"),
    "sorted_in_place": Capture("weights[0]", "weights = [factor, 1]", "weights.sort()"),
    "counter": Capture("next(numbers) * 0", "numbers = itertools.count(factor)"),
    "generator": Capture("(2 + numbers.gi_running)", "numbers = (n for n in range(9))"),
    "view": Capture("len(names)", "table = {'a': factor}\nnames = table.keys()"),
    "view_grows": Capture("len(names)", "table = {'a': factor}\nnames = table.keys()", "table['b'] = 1"),
    "view_values": Capture("sum(weights)", "weights = {'a': factor, 'b': 2}.values()"),
    "mapped": Capture("(3 + (steps is None))", "steps = map(abs, [factor])"),
    "module_object": Capture("tools.gcd(6, factor)", "tools = math", top="TOOLS = math\n\n\n"),
    "arguments": Capture("(args.workers * 0 + 3)"),
    "arguments_changed": Capture("(args.workers * 0 + 3)", after="args.name = args.start_method"),
    "arguments_set": Capture("args.bias", "args.bias = factor", "args.bias = 9"),
    "regex": Capture("len(pattern.pattern)", "pattern = re.compile('ab')"),
    "local_instance": Capture("holder.bias", "class Holder:\n    bias = 3\n\nholder = Holder()"),
    "local_instance_set": Capture("holder.bias", "class Holder:\n    bias = 3\n\nholder = Holder()", "holder.bias = 5"),
    "module_instance_set": Capture("holder.bias", "holder = Holder()", "holder.set(5)", "class Holder:\n    bias = 3\n\n    def set(self, bias):\n        self.bias = bias\n\n\n"),
    "module_class_set": Capture("Holder.bias", after="Holder.bias = 5", top="class Holder:\n    bias = 3\n\n\n"),
    "module_list": Capture("sum(BIASES)", after="BIASES.append(factor)", top="BIASES = [1]\n\n\n"),
    "bound_local": Capture("add(4)", "weights = [factor]\nadd = weights.count"),
    "bound_append": Capture("(add(4) is None) + len(weights) * 0", "weights = [factor]\nadd = weights.append"),
    "builtin_alias": Capture("most(2, factor)", "most = max"),
    "builtin_shadowed": Capture("max(2, factor)", "max = min"),
    "global_declared": Capture("TOTAL", "global TOTAL\nTOTAL = factor + 1", top="TOTAL = 0\n\n\n"),
    "global_by_function": Capture("TOTAL", after="set_total(9)", top="TOTAL = 1\n\n\ndef set_total(number):\n    global TOTAL\n    TOTAL = number\n\n\n"),
    "self_method": Capture("self.weigh(2)", in_class=True),
    "self_super": Capture("super(Experiment, self).weigh(2)", in_class=True),
    "super_object": Capture("parent.weigh(2)", "parent = super()", in_class=True),
    "self_property": Capture("self.bias", in_class=True),
    "self_list": Capture("sum(self.parts)", "self.parts = [factor]", "self.parts.append(3)", in_class=True),
    "self_handle": Capture("(3 + self.source.closed)", "self.source = open(__file__)", in_class=True),
    "self_lock": Capture("(3 + self.lock.locked())", "self.lock = threading.Lock()", in_class=True),
    "self_lambda": Capture("self.shift(3)", "self.shift = lambda number: number + factor", in_class=True),
    "self_dict": Capture("vars(self)['factor']", after="self.__dict__['factor'] = 9", in_class=True),
    "self_setattr": Capture("self.factor", after="setattr(self, 'factor', 9)", in_class=True),
    "self_alias_set": Capture("self.factor", after="me = self\nme.factor = 9", in_class=True),
    "class_name": Capture("type(self).__name__.count('e')", in_class=True),
    "class_cell": Capture("__class__.__name__.count('e')", in_class=True),
    "try_rebinds": Capture("offset", "offset = factor", "try:\n    offset = int('7')\nexcept ValueError:\n    pass"),
    "except_name": Capture("len(text)", "try:\n    int('x')\nexcept ValueError as error:\n    text = str(error)"),
    "branch_unbound": Capture("offset", "if factor > 1:\n    offset = 4"),
    "swapped": Capture("(low - high)", "low, high = factor, 3", "low, high = high, low"),
    "match_name": Capture("offset", "match [factor, 2]:\n    case [offset, _]:\n        pass"),
    "dispatch_table": Capture("TABLE['plain'](3)", after="TABLE['plain'] = max_of", top="def max_of(number):\n    return number + 8\n\n\nTABLE = {'plain': abs}\n\n\n"),
    "function_attribute": Capture("shift.bias", "def shift(number):\n    return number\n\nshift.bias = factor"),
    "function_default": Capture("shift()", "def shift(number=factor):\n    return number\n", "factor = 11"),
    "function_closure": Capture("shift()", "offset = factor\n\ndef shift():\n    return offset\n", "offset = 12"),
    "function_mutual": Capture("even(4)", "def even(n):\n    return n == 0 or odd(n - 1)\n\ndef odd(n):\n    return n != 0 and even(n - 1)\n"),
    "cached_function": Capture("shift(2)", "@functools.lru_cache\ndef shift(number):\n    return number + factor\n"),
    "cached_info": Capture("shift(2)", "@functools.lru_cache\ndef shift(number):\n    return number + factor\n", "shift(2)"),
    "queue": Capture("(3 + queue_.empty())", "queue_ = queue.Queue()"),
    "event": Capture("(3 + stop.is_set())", "stop = threading.Event()", "stop.set()"),
    "logger": Capture("len(log.name)", "log = logging.getLogger('abc')"),
    "tuple_of_lambda": Capture("pair[0](2)", "pair = (lambda number: number + factor, 1)"),
    "list_of_lambda": Capture("pair[0](2)", "pair = [lambda number: number + factor]", "pair.append(abs)"),
    "later_function": Capture("late(2)", after="def late(number):\n    return number + 5\n"),
    "late_name": Capture("offset", after="offset = factor + 9"),
    "late_twice": Capture("offset", "offset = 1", "offset = 2\noffset = factor + 9"),
    "late_conditional": Capture("offset", "offset = 1", "if factor > 1:\n    offset = 5"),
    "frozen": Capture("sum(weights)", "weights = (factor, 4)"),
    "star_target": Capture("len(rest)", "first, *rest = [factor, 4, 5]", "rest.append(1)"),
    "enumerate_name": Capture("at", "for at, name in enumerate('ab'):\n    pass", "at = 7"),
    "comprehension_name": Capture("sum(step for step in range(factor))", "step = 4"),
    "inner_lambda_default": Capture("(lambda number=factor: number)()"),
    "string_name": Capture("len(name_)", "name_ = f'{factor}-x'"),
    "weak": Capture("(3 + (reference() is None))", "holder = Holder()\nreference = weakref.ref(holder)", top="class Holder:\n    pass\n\n\n"),
}  # fmt: skip

# What may be asked of a function, besides its call.
LOOKS = {
    "name": "F.__name__.strip('<>_').isidentifier()",
    "real_name": "F.__name__",
    "qualname": "F.__qualname__",
    "getattr_name": "getattr(F, '__name__', 'none')",
    "signature": "len(inspect.signature(F).parameters)",
    "signature_text": "str(inspect.signature(F))",
    "argspec": "inspect.getfullargspec(F).args",
    "isinstance": "isinstance(F, types.FunctionType)",
    "isfunction": "inspect.isfunction(F)",
    "lambda_type": "type(F) is types.LambdaType",
    "defaults": "F.__defaults__ is None",
    "defaults_getattr": "getattr(F, '__defaults__', None)",
    "kwdefaults": "F.__kwdefaults__",
    "code": "F.__code__.co_argcount",
    "free": "F.__code__.co_freevars",
    "closure": "F.__closure__ is None",
    "globals": "'Items' in F.__globals__",
    "doc": "F.__doc__",
    "module": "F.__module__",
    "wrapped": "hasattr(F, '__wrapped__')",
    "unwrap": "inspect.unwrap(F) is F",
    "partial": "isinstance(F, functools.partial)",
    "func": "hasattr(F, 'func')",
    "callable": "callable(F)",
    "equal": "F == F",
    "member": "F in {F: 1}",
    "hash": "hash(F) == hash(F)",
    "source": "inspect.getsource(F).strip()[:4]",
    "method": "isinstance(F, types.MethodType)",
    "owner": "getattr(F, '__self__', None) is None",
    "annotations": "F.__annotations__",
}

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
        "dataset": 1, "unpacked": 1, "attribute": 1, "exception": 1, **dict.fromkeys(CAPTURES, 1),
    },
    "parameters": {"plain": 8, "default": 2, "keyword_only": 1, "star": 1, "kwargs": 2},
    "stored": {
        "direct": 8, "list": 3, "dict": 3, "compose": 3, "attribute": 3, "options": 2,
        "tuple": 1, "variable": 2, "attribute_later": 2, "conditional": 1,
    },
    "asks": {
        "call": 60, "keyword": 4, **dict.fromkeys(LOOKS, 1),
    },
    "asked_by": {"init": 3, "helper": 1, "main": 1, "elsewhere": 1},
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
    conflict("scope", "main function", "method",
             capture=" ".join(name for name, one in CAPTURES.items() if one.in_class)),
    conflict("capture", " ".join(CAPTURES), "parameter", callable="class factory bound module_lambda"),
    conflict("capture", "function_default", "parameter", parameters=but(FEATURES["parameters"], "plain")),
    conflict("capture", "dataset", "local", boundary=but(FEATURES["boundary"], "collate")),
    conflict("capture", "dataset", "local", scope="method init"),
    # How it is stored, and what is asked of it.
    conflict("asks", but(FEATURES["asks"], "call"), "call",
             boundary=but(FEATURES["boundary"], "transform")),
    conflict("stored", _not_sent_whole, "variable", boundary=but(FEATURES["boundary"], "transform")),
    conflict("stored", "options", "direct", boundary="pool_map process executor"),
    conflict("asks", "keyword", "call",
             callable="dispatch recursive class partial bound nested generator_helper module_lambda"),
    conflict("asks", but(FEATURES["asks"], "call keyword signature isinstance equal method"), "call", callable="partial class"),
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
        row = CAPTURES.get(self.spec["capture"])
        if row is not None:
            self.top += row.top.split("\n") if row.top else []
            self.before += row.before.split("\n") if row.before else []
            self.after += row.after.split("\n") if row.after else []
            return row.value
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
            match spec["asked_by"]:
                case "init":
                    lines += ["out.append(data.looked)"]
                case "helper":
                    lines += ["out.append(described(data.transform))"]
                case "main":
                    lines += [f"out.append({self._look('data.transform')})"]
                case "elsewhere":
                    lines += [
                        f"out += [{self._look('one')} for one in vars(data).values() if callable(one)][:1]"
                    ]
        return lines

    def _looks(self) -> str:
        return LOOKS.get(self.spec["asks"], "")

    def _look(self, function: str) -> str:
        return re.sub(r"\bF\b", function, self._looks())

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
        if self._looks() and spec["asked_by"] == "init":
            lines += [f"        self.looked = {self._look('transform')} if transform else None"]
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
        if self._looks() and spec["asked_by"] == "helper":
            self.top += ["def described(function):", f"    return {self._look('function')}", "", ""]
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
                        *EXPERIMENT,
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
                        *EXPERIMENT,
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


EXPERIMENT = [
    "class Base:",
    "    def weigh(self, number):",
    "        return number + 1",
    "",
    "",
    "class Experiment(Base):",
    "    def weigh(self, number):",
    "        return number + self.factor",
    "",
    "    @property",
    "    def bias(self):",
    "        return self.factor + 3",
    "",
]
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
    "itertools",
    "logging",
    "math",
    "multiprocessing",
    "os",
    "queue",
    "random",
    "re",
    "threading",
    "types",
    "weakref",
)


def _module(lines: list[str], local: list[str]) -> str:
    text = "\n".join(lines).strip("\n") + "\n"
    imports = [
        f"import {name}"
        for name in MODULES
        if re.search(rf"(?<![\w.]){name}\.|= {name}$", text, re.MULTILINE)
    ]
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
