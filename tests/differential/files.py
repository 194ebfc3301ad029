"""Programs in which code with innocent names removes, replaces or only reads the file of an open handle."""

from __future__ import annotations

from tests.differential.grammar import Family, Spec, conflict, indented
from tests.differential.kinds import KINDS

# What is done to the file P, with another file O beside it: the first change it, the last do not.
ACTIONS = {
    "remove": ("os.remove(P)",),
    "unlink": ("pathlib.Path(P).unlink()",),
    "unbound": ("pathlib.Path.unlink(pathlib.Path(P))",),
    "alias": ("tidy(P)",),
    "caller": ('operator.methodcaller("unlink")(pathlib.Path(P))',),
    "replace": ("os.replace(O, P)",),
    "path_replace": ("pathlib.Path(O).replace(P)",),
    "rename": ('os.rename(P, P + ".old")',),
    "rename_over": ("os.rename(O, P)",),
    "path_rename": ('pathlib.Path(P).rename(P + ".old")',),
    "move": ('shutil.move(P, P + ".old")',),
    "tree": ("shutil.rmtree(os.path.dirname(P))",),
    "copy": ("os.remove(P)", "shutil.copy(O, P)"),
    "temporary": (
        "with tempfile.NamedTemporaryFile(dir=os.path.dirname(P), delete=False) as out:",
        "    out.write(pathlib.Path(O).read_bytes())",
        "os.replace(out.name, P)",
    ),
    "link": ("os.symlink(os.path.abspath(O), P + '.new')", "os.replace(P + '.new', P)"),
    "rm": ('subprocess.run(["rm", P], check=True)',),
    "shell": ('subprocess.run(f"rm {P}", shell=True, check=True)',),
    "system": ('os.system(f"mv {O} {P}")',),
    "popen": ('subprocess.Popen(["mv", O, P]).wait()',),
    "command": ('command = ["mv", "-f"]', "command += [O, P]", "subprocess.check_call(command)"),
    "find": (
        'subprocess.run(["find", os.path.dirname(P), "-name", os.path.basename(P), "-delete"])',
    ),
    "xargs": ('subprocess.run(f"echo {P} | xargs rm", shell=True)',),
    "env": ('subprocess.run(["env", "mv", O, P])',),
    "python": ('subprocess.run([sys.executable, "-c", "import os, sys; os.remove(sys.argv[1])", P])',),
    "spawnlp": ('os.spawnlp(os.P_WAIT, "rm", "rm", P)',),
    "refresh": ("toolbox.refresh(P, O)",),
    "finish": ("toolbox.finish(P, O)",),
    "stat": ("os.stat(P).st_size",),
    "read": ("pathlib.Path(P).read_bytes()",),
    "open": ('with open(P, "rb") as file:', "    file.read()"),
    "cat": ('subprocess.run(["cat", P], stdout=subprocess.DEVNULL)',),
    "exists": ("os.path.exists(P)",),
    "hash": ("hashlib.sha256(pathlib.Path(P).read_bytes()).hexdigest()",),
    "backup": ('shutil.copy(P, P + ".copy")',),
    "described": ("toolbox.describe(P, O)",),
    "loaded": ("toolbox.load_index(P, O)",),
}  # fmt: skip
FEATURES = {
    "kind": dict.fromkeys(("binary", "text", "zip", "sqlite", "h5", "npy_memmap"), 1),
    "action": dict.fromkeys(ACTIONS, 1),
    "by": dict.fromkeys(
        ("function", "inline", "nested", "method", "static", "partial", "table", "getattr",
         "thread", "map", "decorated", "context", "generator", "own_method", "constructor",
         "callable", "module", "setter", "default", "loop", "comprehension"),
        1,
    ),
    "way": dict.fromkeys(
        ("path", "keyword", "pathlib", "items", "rows", "closure", "options", "joined", "listed",
         "constant", "star"),
        1,
    ),
    "name": dict.fromkeys(
        ("check", "describe", "load_index", "finish", "read_meta", "log_path", "count"), 1
    ),
    "when": {"after": 4, "between": 1, "before": 1},
    "uses": {"none": 3, "item": 2, "length": 1},
}  # fmt: skip
CONFLICTS = (
    conflict("way", "keyword items star options", "path", by="inline map partial loop comprehension own_method"),
    conflict("way", "closure", "path", by="own_method module method static constructor callable setter"),
    conflict("way", "rows", "path", by="own_method constructor setter", when="after between before"),
    conflict("way", "rows", "path", when="before"),
    conflict("way", "keyword items options star closure rows", "path", by="thread table getattr setter default"),
    conflict("by", "own_method", "function", when="before"),
    conflict("when", "before", "after", action="remove unlink unbound alias caller rename path_rename move tree rm"
             " shell find xargs python spawnlp finish"),
)  # fmt: skip
MODULES = (
    "argparse contextlib functools glob hashlib operator os pathlib shutil sqlite3 subprocess sys"
    " tempfile threading zipfile"
).split()


class Program:
    """One program, from its features."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.kind = KINDS[spec["kind"]]
        self.name = spec["name"]

    def files(self) -> dict[str, str]:
        """Return the texts of the program's files."""
        files = {"main.py": self._module([*self._above(), *self._dataset(), *self._main()])}
        if self.spec["by"] == "module":
            files["helpers.py"] = self._module(self._function())
        return files

    def _module(self, lines: list[str]) -> str:
        text = "\n".join(lines).strip("\n") + "\n"
        used = [f"import {name}" for name in MODULES if f"{name}." in text]
        used += [line for line in self.kind.imports if line.split()[-1] + "." in text]
        used += ["import toolbox"] if "toolbox." in text else []
        used += ["import helpers"] if "helpers." in text else []
        used += ["from os import remove as tidy"] if "tidy(" in text else []
        torch = [name for name in ("DataLoader", "Dataset") if name in text]
        used += [f"from torch.utils.data import {', '.join(torch)}"] if torch else []
        return "\n".join(dict.fromkeys(used)) + "\n\n\n" + text

    # What changes the file

    def _body(self, path: str, other: str = "other") -> list[str]:
        said = [
            line.replace("{P}", "{path}").replace("{O}", "{other}")
            for line in ACTIONS[self.spec["action"]]
        ]
        return [*([f"path = {path}"] if path != "path" else []),
                *(["other = " + other] if other != "other" else []),
                *(self._named(line) for line in said)]  # fmt: skip

    def _named(self, line: str) -> str:
        words = {"P": "path", "O": "other"}
        found, word = "", ""
        for letter in line + " ":
            if letter.isidentifier() or letter.isdigit():
                word += letter
                continue
            dotted = found.endswith((".", '"'))
            found += (word if dotted else words.get(word, word)) + letter
            word = ""
        return found[:-1]

    def _takes(self) -> tuple[str, list[str]]:
        """Return the parameters of the function, and what it computes of them."""
        match self.spec["way"]:
            case "pathlib":
                return "place, other", ["path = str(place)"]
            case "items":
                return "paths", ["path, other = paths"]
            case "rows":
                return "rows, other", ["path = rows.path"]
            case "options":
                return "options", ['path, other = options["path"], options["other"]']
            case "joined":
                return "folder, name", [
                    "path = os.path.join(folder, name)",
                    'other = folder + "/second"',
                ]
            case "listed":
                return "folder, rest", ["path, other = sorted(glob.glob(folder + '/*'))[:2]"]
            case "constant":
                return "unused, more", ['path, other = "data/first", "data/second"']
            case "star":
                return "*paths", ["path, other = paths"]
        return "path, other", []

    def _gives(self) -> str:
        """Return the arguments of the call."""
        match self.spec["way"]:
            case "keyword":
                return "other=other, path=path"
            case "pathlib":
                return "pathlib.Path(path), other"
            case "items":
                return "[path, other]"
            case "rows":
                return "rows, other"
            case "options":
                return '{"path": path, "other": other}'
            case "joined":
                return '"data", "first"'
            case "listed":
                return '"data", None'
            case "constant":
                return "1, 2"
        return "path, other"

    def _function(self, name: str = "", owner: str = "") -> list[str]:
        takes, first = self._takes()
        if self.spec["way"] == "closure":
            takes, first = "", ["path, other = places"]
        takes = ", ".join(filter(None, [owner, takes]))
        return [
            f"def {name or self.name}({takes}):",
            *indented([*first, *self._body("path")], 1),
            "",
        ]

    def _above(self) -> list[str]:
        """Return the definitions above the dataset."""
        by, spaced = self.spec["by"], [""]
        nested = self.spec["way"] == "closure"
        match by:
            case "method":
                return ["class Tools:", *indented(self._function(owner="self"), 1), *spaced]
            case "static":
                return [
                    "class Tools:",
                    "    @staticmethod",
                    *indented(self._function(), 1),
                    *spaced,
                ]
            case "callable":
                return ["class Tools:", *indented(self._function("__call__", "self"), 1), *spaced]
            case "constructor":
                return ["class Tools:", *indented(self._function("__init__", "self"), 1), *spaced]
            case "setter":
                return ["class Tools:", "    @property", f"    def {self.name}(self):", "        return None", "",
                        f"    @{self.name}.setter", *indented(
                            [f"def {self.name}(self, given):", f"    {self._takes()[0]} = given",
                             *indented([*self._takes()[1], *self._body("path")], 1), ""], 1), *spaced]  # fmt: skip
            case "decorated" if not nested:
                return ["def logged(function):", "    @functools.wraps(function)", "    def wrapper(*args, **kwargs):",
                        "        return function(*args, **kwargs)", "", "    return wrapper", "", "", "@logged",
                        *self._function(), *spaced]  # fmt: skip
            case "context" if not nested:
                made = self._function()
                return ["@contextlib.contextmanager", *made[:-1], "    yield", "", *spaced]
            case "generator" if not nested:
                return [*self._function()[:-1], "    yield 1", "", *spaced]
            case "default" if not nested:
                return [*self._function(), "", "def run(path, other, action=" + self.name + "):",
                        f"    action({self._gives()})", "", *spaced]  # fmt: skip
            case "inline" | "nested" | "module" | "own_method":
                return []
        return [] if nested else [*self._function(), *spaced]

    def _call(self) -> list[str]:
        """Return the statements of main that change the file."""
        name, given, by = self.name, self._gives(), self.spec["by"]
        local = by == "nested" or self.spec["way"] == "closure"
        before = ["places = path, other", *self._function()] if local else []
        given = "" if self.spec["way"] == "closure" else given
        match by:
            case "inline":
                return self._body("path")
            case "method":
                return ["tools = Tools()", f"tools.{name}({given})"]
            case "static":
                return [f"Tools.{name}({given})"]
            case "callable":
                return [f"{name} = Tools()", f"{name}({given})"]
            case "constructor":
                return [f"Tools({given})"]
            case "setter":
                return ["tools = Tools()", f"tools.{name} = {given}"]
            case "partial":
                return [
                    *before,
                    f"ready = functools.partial({name}, {given})" if given else f"ready = {name}",
                    "ready()",
                ]
            case "table":
                return [*before, f'table = {{"{name}": {name}}}', f'table["{name}"]({given})']
            case "getattr":
                return [*before, f'globals()["{name}"]({given})']
            case "thread":
                return [*before, f"thread = threading.Thread(target={name}, args=({given}))", "thread.start()",
                        "thread.join()"]  # fmt: skip
            case "map":
                return [
                    *before,
                    f"list(map({name}, *[[each] for each in ({given},)]))"
                    if given
                    else f"{name}()",
                ]
            case "context":
                return (
                    [*before, f"with {name}({given}):", "    pass"]
                    if not before
                    else [*before, f"{name}()"]
                )
            case "generator":
                return [*before, f"next({name}({given}))"] if not before else [*before, f"{name}()"]
            case "own_method":
                return [f"rows.{name}({given})"]
            case "module":
                return [f"helpers.{name}({given})"]
            case "default":
                return ["run(path, other)"] if not before else [*before, f"{name}()"]
            case "loop":
                return [*before, f"for action in [{name}]:", f"    action({given})"]
            case "comprehension":
                return [*before, f"[action({given}) for action in [{name}]]"]
        return [*before, f"{name}({given})"]

    def _dataset(self) -> list[str]:
        kind = self.kind
        handle = f"self.{kind.attribute}"
        say = {"H": handle, "I": "index", "P": "self.path"}
        lines = ["class Rows(Dataset):", "    def __init__(self, path):", "        self.path = path",
                 f"        {handle} = {kind.say(kind.open, **say)}", "", "    def __len__(self):", "        return 6",
                 "", "    def __getitem__(self, index):"]  # fmt: skip
        lines += [f"        {kind.say(kind.seek, **say)}"] if kind.seek else []
        lines += [f"        return {kind.say(kind.read, **say)}", ""]
        if self.spec["by"] == "own_method":
            lines += indented(self._function(owner="self"), 1)
        return [*lines, "", "def fill(path, values):",
                *indented([kind.say(line, P="path") for line in kind.fill], 1), "", ""]  # fmt: skip

    def _main(self) -> list[str]:
        spec = self.spec
        act, when = self._call(), spec["when"]
        use = {"none": [], "item": ["seen.append(rows[1])"], "length": ["seen.append(len(rows))"]}
        epoch = ["out.append([batch.tolist() for batch in loader])"]
        return ["def main():", *indented([
            "parser = argparse.ArgumentParser()",
            'parser.add_argument("--workers", type=int, default=0)',
            'parser.add_argument("--start-method", default="spawn")',
            "args = parser.parse_args()",
            'os.makedirs("data")',
            'path, other = "data/first", "data/second"',
            "fill(path, [at * at + 1 for at in range(6)])",
            "fill(other, [at + 40 for at in range(6)])",
            "seen, out = [], []",
            *(act if when == "before" else []),
            "rows = Rows(path)",
            *use[spec["uses"]],
            *(act if when == "after" else []),
            "loader = DataLoader(rows, batch_size=2, num_workers=args.workers,",
            "                    multiprocessing_context=args.start_method if args.workers else None)",
            *epoch,
            *([*act, *epoch] if when == "between" else []),
            'print("RESULT", out, seen)',
            'print("FDS", len(os.listdir("/proc/self/fd")))',
        ], 1), "", "", 'if __name__ == "__main__":', "    main()"]  # fmt: skip


def render(spec: Spec) -> dict[str, str]:
    """Write a program down."""
    return Program(dict(spec)).files()


FAMILY = Family("files", FEATURES, CONFLICTS, render)
