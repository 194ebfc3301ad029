"""The command line."""

from __future__ import annotations

import re
import sys
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from dlfix import __version__, checking, config
from dlfix.checking import cache_of, codes, settings_of
from dlfix.ending import ended, failed
from dlfix.validation import nearest


class _Commands(TyperGroup):
    """Ends with one line, not a traceback, whatever goes wrong."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command whose help names no Python types, and whose usage line is plain."""
        command = super().get_command(ctx, cmd_name)
        for one in getattr(command, "params", ()):
            if one.param_type_name != "argument":
                continue
            one.display_type_rich = lambda ctx: None
            if one.required:
                one.get_usage_pieces = partial(_usage, one.metavar)
        return command

    def invoke(self, ctx: Any) -> Any:
        from dlfix.undo import NothingToUndo

        def work() -> int:
            try:
                super(_Commands, self).invoke(ctx)
            except NothingToUndo as error:
                return failed(str(error))
            except typer.BadParameter as error:
                error.message = _plain(error.message)
                raise
            return 0

        if (status := ended(work)) != 0:
            raise typer.Exit(status)


def _plain(message: str) -> str:
    """Return a message in the words of a command line, where typer leaves pydantic's in."""
    message = message.replace("Value error, ", "")
    message = re.sub(r"Input should be a valid (\w+)(, .*)?$", r"not a valid \1", message)
    return message.replace("Input should be", "should be")


def _usage(metavar: str, ctx: Any) -> list[str]:
    """Return a required argument as the usage line shows it."""
    return [metavar]


def _fail(message: str) -> NoReturn:
    raise typer.Exit(failed(message))


def _not_negative(value: float) -> float:
    if value < 0:
        raise typer.BadParameter("must not be negative")
    return value


app = typer.Typer(
    name="dlfix",
    cls=_Commands,
    help="Find objects that a PyTorch program sends to worker processes but that cannot "
    "be pickled or shared, and rewrite the code.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(str, Enum):
    """The formats of findings."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"
    JUNIT = "junit"


class Plain(str, Enum):
    """Text or JSON."""

    TEXT = "text"
    JSON = "json"


class Form(str, Enum):
    """The form of a fix."""

    LAZY = "lazy"
    STATE = "state"


class Color(str, Enum):
    """When to use colors."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATHS",
        help="Files and folders to check, or `-` for standard input; defaults to the "
        "current folder.",
        show_default=False,
    ),
]
Select = Annotated[
    list[str] | None,
    typer.Option("--select", help="Enable only these rules: DLF101,DLF2.", metavar="CODES"),
]
ExtendSelect = Annotated[
    list[str] | None,
    typer.Option("--extend-select", help="Enable these rules as well.", metavar="CODES"),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", help="Disable these rules.", metavar="CODES")
]
Fixable = Annotated[
    list[str] | None,
    typer.Option("--fixable", help="Fix only findings of these rules.", metavar="CODES"),
]
Unfixable = Annotated[
    list[str] | None,
    typer.Option("--unfixable", help="Do not fix findings of these rules.", metavar="CODES"),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--extend-exclude", help="Exclude files that match this pattern.", metavar="PATTERN"
    ),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", help="Use this configuration file instead of the nearest one.", metavar="FILE"
    ),
]
Isolated = Annotated[bool, typer.Option("--isolated", help="Ignore all configuration files.")]
StdinName = Annotated[
    Path | None,
    typer.Option(
        "--stdin-filename", help="The file name to use for standard input.", metavar="NAME"
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only findings and errors.")]
ColorOption = Annotated[Color, typer.Option("--color", help="When to use colors.")]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        callback=_not_negative,
        metavar="NUMBER",
        help="Number of processes that compute fixes for JSON, SARIF and `--report`; 0 "
        "uses one per CPU core.",
    ),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", help="Write an HTML report to this file.", metavar="FILE.html"),
]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output-file",
        "-o",
        help="Write the findings to this file instead of standard output.",
        metavar="FILE",
    ),
]
ExitZero = Annotated[
    bool, typer.Option("--exit-zero", help="Exit with status 0 even if there are findings.")
]
Strict = Annotated[
    bool | None,
    typer.Option(
        "--strict", help="Exit with status 2 if any file cannot be parsed.", show_default=False
    ),
]
CacheDir = Annotated[
    str | None,
    typer.Option("--cache-dir", help="Folder for cached results.", metavar="FOLDER"),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Do not read or write cached results.")]
PlainOption = Annotated[Plain, typer.Option("--output-format", help="Output format.")]


@app.command()
def check(
    paths: Paths = None,
    output_format: Annotated[
        Format, typer.Option("--output-format", help="Output format.")
    ] = Format.TEXT,
    output_file: OutputFile = None,
    show_files: Annotated[
        bool, typer.Option("--show-files", help="List the files that would be checked and exit.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Run again whenever a file changes.")
    ] = False,
    select: Select = None,
    extend_select: ExtendSelect = None,
    ignore: Ignore = None,
    fixable: Fixable = None,
    unfixable: Unfixable = None,
    extend_exclude: Exclude = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Show the number of findings per rule.")
    ] = False,
    exit_zero: ExitZero = False,
    add_ignores: Annotated[
        bool,
        typer.Option("--add-ignores", help="Add an ignore comment to each line with a finding."),
    ] = False,
    report: Report = None,
    config_file: ConfigFile = None,
    isolated: Isolated = False,
    strict: Strict = None,
    cache_dir: CacheDir = None,
    no_cache: NoCache = False,
    stdin_filename: StdinName = None,
    jobs: Jobs = 1,
    quiet: Quiet = False,
    color: ColorOption = Color.AUTO,
) -> None:
    """Report objects that cannot be sent to workers. Exits with status 1 if there are any."""
    raise typer.Exit(
        checking.check(
            paths=paths,
            output_format=output_format.value,
            output_file=output_file,
            show_files=show_files,
            watch=watch,
            select=select,
            extend_select=extend_select,
            ignore=ignore,
            fixable=fixable,
            unfixable=unfixable,
            extend_exclude=extend_exclude,
            statistics=statistics,
            exit_zero=exit_zero,
            add_ignores=add_ignores,
            report=report,
            config_file=config_file,
            isolated=isolated,
            strict=strict,
            cache_dir=cache_dir,
            no_cache=no_cache,
            stdin_filename=stdin_filename,
            jobs=jobs,
            quiet=quiet,
            color=color.value,
        )
    )


@app.command()
def apply(
    paths: Paths = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            "--diff",
            help="Print the diff without writing files; exit with status 1 if any file "
            "would change.",
        ),
    ] = False,
    side_by_side: Annotated[
        bool, typer.Option("--side-by-side", help="Print the diff in two columns.")
    ] = False,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Ask before each fix, like `git add -p`.")
    ] = False,
    unsafe_fixes: Annotated[
        bool | None,
        typer.Option(
            "--unsafe-fixes/--no-unsafe-fixes",
            help="Include fixes that may change the behavior of the program.",
        ),
    ] = None,
    prefer: Annotated[
        Form | None,
        typer.Option(
            help="Open resources on first use (lazy), or keep `__init__` and reopen them "
            "when the object is unpickled (state)."
        ),
    ] = None,
    select: Select = None,
    extend_select: ExtendSelect = None,
    ignore: Ignore = None,
    fixable: Fixable = None,
    unfixable: Unfixable = None,
    extend_exclude: Exclude = None,
    exit_zero: ExitZero = False,
    allow_dirty: Annotated[
        bool,
        typer.Option("--allow-dirty", help="Rewrite files even if they have uncommitted changes."),
    ] = False,
    prove: Annotated[
        str | None,
        typer.Option(
            "--prove",
            help="Run SCRIPT up to its first batch before and after the rewrite.",
            metavar="'SCRIPT ARGS'",
        ),
    ] = None,
    report: Report = None,
    config_file: ConfigFile = None,
    isolated: Isolated = False,
    strict: Strict = None,
    cache_dir: CacheDir = None,
    no_cache: NoCache = False,
    stdin_filename: StdinName = None,
    quiet: Quiet = False,
    color: ColorOption = Color.AUTO,
) -> None:
    """Fix the findings by rewriting the code. Exits with status 1 if findings remain."""
    from dlfix import commands

    try:
        settings = settings_of(
            paths, config_file, isolated,
            select=codes(select), extend_select=codes(extend_select), ignore=codes(ignore),
            fixable=codes(fixable), unfixable=codes(unfixable),
            extend_exclude=codes(extend_exclude), unsafe_fixes=unsafe_fixes,
            prefer=prefer and prefer.value, strict=strict, **cache_of(cache_dir, no_cache),
        )  # fmt: skip
    except config.ConfigError:
        if paths == [Path("-")] and not dry_run:
            commands.pass_through()
        raise
    request = commands.Request(
        tuple(paths or ()), settings, stdin_filename, quiet, color.value, report=report
    )
    manner = commands.Manner(dry_run, side_by_side, interactive, exit_zero, allow_dirty)
    if prove is None:
        raise typer.Exit(commands.apply(request, manner))
    if dry_run or side_by_side:
        _fail("--prove cannot be used with --diff because it runs the rewritten code")
    from dlfix.runtime.commands import prove as prove_it

    raise typer.Exit(prove_it(prove, lambda: commands.apply(request, manner)))


@app.command()
def undo(
    listed: Annotated[
        bool,
        typer.Option(
            "--list",
            help="List the runs of `dlfix apply` that can be undone "
            "and the files that they changed.",
        ),
    ] = False,
    diff: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            "--diff",
            help="Print the diff without writing files; exit with status 1 if any file "
            "would change.",
        ),
    ] = False,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget", help="Remove the last apply from the list without restoring files."
        ),
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Include project files outside the current folder.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Undo the last apply in the current folder.

    A file that has changed since then is reported but not restored. A second undo restores the state
    before the previous apply.
    """
    from dlfix import commands, undo_commands

    if listed + diff + forget > 1:
        _fail("--list, --diff and --forget cannot be used together")
    manner = undo_commands.Undo(listed, diff, forget, everything)
    raise typer.Exit(undo_commands.undo(manner, commands.tell, quiet=quiet))


@app.command()
def trace(
    paths: Paths = None,
    output_format: PlainOption = Plain.TEXT,
    config_file: ConfigFile = None,
    isolated: Isolated = False,
    strict: Strict = None,
    stdin_filename: StdinName = None,
    quiet: Quiet = False,
    color: ColorOption = Color.AUTO,
) -> None:
    """Show the objects that each loader sends to workers."""
    from dlfix import commands

    settings = settings_of(paths, config_file, isolated, strict=strict)
    request = commands.Request(tuple(paths or ()), settings, stdin_filename, quiet, color.value)
    raise typer.Exit(commands.trace(request, output_format.value))


rules = typer.Typer(
    cls=_Commands,
    invoke_without_command=True,
    help="List all rules, or test the rules of a package.",
)
app.add_typer(rules, name="rules", context_settings={"help_option_names": ["-h", "--help"]})


@rules.callback()
def list_rules(
    context: typer.Context,
    output_format: PlainOption = Plain.TEXT,
    color: ColorOption = Color.AUTO,
) -> None:
    "List all rules, or test the rules of a package."
    if context.invoked_subcommand is not None:
        return
    from dlfix import commands

    raise typer.Exit(commands.rules(output_format.value, color.value))


@rules.command("test")
def test_rules(
    package: Annotated[str, typer.Argument(metavar="PACKAGE", help="An installed package.")],
) -> None:
    """Run the `valid` and `invalid` programs of the rules in a package."""
    from dlfix import commands

    raise typer.Exit(commands.test_rules(package))


@app.command()
def probe(
    target: Annotated[
        str,
        typer.Argument(
            metavar="SCRIPT|module:function",
            help="The script to run, or a function that returns a loader or dataset.",
        ),
    ],
    args: Annotated[
        list[str] | None, typer.Argument(metavar="ARGS", help="Arguments for the program.")
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", help="The Python interpreter to use.", metavar="PYTHON"),
    ] = None,
    run: Annotated[
        bool, typer.Option("--run", help="Fetch the first batch under each start method.")
    ] = False,
    go_on: Annotated[
        bool, typer.Option("--continue", help="Continue after each loader, without workers.")
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            callback=_not_negative,
            metavar="SECONDS",
            help="Time limit for the program.",
        ),
    ] = 120.0,
    output_format: PlainOption = Plain.TEXT,
) -> None:
    """Run a program and report what cannot be sent to its workers.

    The program stops before its first workers start. A loader without workers is examined as if it
    had one worker.

    Exits with status 1 if there are such objects, and with status 2 if the program could not be examined.
    """
    from dlfix.runtime import commands

    raise typer.Exit(
        commands.probe(
            target, args or (), python=python, run=run, go_on=go_on, timeout=timeout,
            output_format=output_format.value,
        )
    )  # fmt: skip


@app.command()
def explain(
    topic: Annotated[
        str,
        typer.Argument(
            metavar="CODE|-|FILE",
            help="A rule code, a file that contains a traceback, or `-` to read the "
            "traceback from standard input.",
        ),
    ],
    color: ColorOption = Color.AUTO,
) -> None:
    """Show the page of a rule, or explain a traceback."""
    from dlfix import commands

    raise typer.Exit(commands.explain(topic, color.value))


@app.command("config")
def show_config(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATHS",
            help="The files and folders whose settings are shown; defaults to the current folder.",
            show_default=False,
        ),
    ] = None,
    output_format: PlainOption = Plain.TEXT,
    config_file: ConfigFile = None,
    isolated: Isolated = False,
) -> None:
    """Show the active settings and where each comes from."""
    from dlfix import commands

    missing = next((path for path in paths or () if not path.exists()), None)
    if missing is not None:
        _fail(f"{missing}: no such file or directory")
    settings = settings_of(paths, config_file, isolated)
    raise typer.Exit(commands.show_config(settings, output_format.value))


cache = typer.Typer(cls=_Commands, no_args_is_help=True, help="Manage cached results.")
app.add_typer(cache, name="cache", context_settings={"help_option_names": ["-h", "--help"]})


@cache.command("clear")
def clear_cache(cache_dir: CacheDir = None) -> None:
    """Delete all cached results."""
    from dlfix import results

    results.clear(settings_of(None, None, False, **cache_of(cache_dir, False)))


@app.command()
def lsp() -> None:
    """Run the language server on standard input and output."""
    try:
        from dlfix.editor import server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        _fail("the language server requires pygls: pip install 'dlfix[lsp]'")
    server.start()


@app.command()
def ide(
    editor: Annotated[
        str | None,
        typer.Argument(
            metavar="EDITOR",
            help="The editor (vscode, pycharm, vim, ...); lists all editors if omitted.",
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            "--write",
            metavar="FILE",
            help="Write the configuration to this file; if the "
            "file exists, merge the configuration into it.",
        ),
    ] = None,
) -> None:
    """Print the configuration of an editor for dlfix."""
    from dlfix.editor.external import EDITORS
    from dlfix.editor.merging import CannotMerge, merged
    from dlfix.source.text import SourceError
    from dlfix.source.writing import write_named

    if editor is None:
        width = max(map(len, EDITORS))
        for name, (place, _) in EDITORS.items():
            print(f"{name:<{width}}  {place}")
        return
    if editor not in EDITORS:
        hint = nearest(editor, list(EDITORS)) or f"; there is one for {', '.join(EDITORS)}"
        _fail(f"no configuration for `{editor}`{hint}")
    place, text = EDITORS[editor]
    if write is None:
        print(f"dlfix: save this as {place}", file=sys.stderr)
        print(text, end="")
        return
    try:
        write.parent.mkdir(parents=True, exist_ok=True)
        old = write.read_bytes().decode("utf-8") if write.exists() else ""
        new = merged(old, text, write.name)
        if new != old:
            write_named(write, new)
        said = "unchanged: the file already contains the configuration" if new == old else "written"
        print(f"dlfix: {write}: {said}", file=sys.stderr)
    except OSError as error:
        _fail(f"{write}: {error.strerror}")
    except SourceError as error:
        _fail(f"{write}: {error.reason}")
    except UnicodeDecodeError:
        _fail(f"{write}: not utf-8")
    except CannotMerge as error:
        _fail(f"{write}: {error}; `dlfix ide {editor}` prints the configuration")


@app.command()
def fleet(
    manifest: Annotated[
        Path,
        typer.Argument(
            metavar="MANIFEST", help="A file that lists folders and git URLs, one per line."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Write the results to this folder."),
    ] = Path("fleet"),
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            help="The address of the Ray cluster; defaults to a local cluster.",
            metavar="ADDRESS",
        ),
    ] = None,
    unsafe_fixes: Annotated[
        bool | None,
        typer.Option(
            "--unsafe-fixes/--no-unsafe-fixes", help="Include unsafe fixes in the patches."
        ),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Check all repositories without reusing results of an earlier run."
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Check many repositories on Ray.

    Writes findings.parquet, repositories.parquet, fleet.sarif and patches. Exits with status 1 if there
    are findings, and with status 2 if a repository could not be checked. Results of an earlier run with
    the same options are reused from the output folder.
    """
    from dlfix import commands
    from dlfix import fleet as fleets

    try:
        repositories = fleets.read_manifest(manifest)
        store = fleets.Kept(output, unsafe_fixes)

        def say(one: fleets.Result) -> None:
            store.save(one)
            if not quiet:
                print(fleets.line(one), flush=True)

        kept = {} if fresh else store.load(repositories)
        results = fleets.run(repositories, address=address, unsafe=unsafe_fixes, say=say, kept=kept)
        fleets.write(results, output)
        if kept and not quiet:
            commands.tell(fleets.of_kept(len(kept), len(repositories)))
        if not quiet:
            commands.tell(fleets.total(list(results), output))
    except fleets.FleetError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("ray", "pyarrow"):
            raise
        _fail("`dlfix fleet` requires Ray: pip install 'dlfix[fleet]'")
    if any(one.status == "failed" for one in results):
        raise typer.Exit(2)
    raise typer.Exit(1 if any(one.findings for one in results) else 0)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"dlfix {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


__all__ = ["app"]
