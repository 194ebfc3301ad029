"""`dlfix check` from the values of its arguments, and what other commands read in the same way."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dlfix import config
from dlfix.ending import ended
from dlfix.source import seen


def codes(said: list[str] | None) -> tuple[str, ...] | None:
    """Return the codes of an option that may be given several times, each with several codes."""
    if said is None or not said:
        return None
    return tuple(code.strip() for one in said for code in one.split(",") if code.strip())


def settings_of(
    paths: list[Path] | None, file: Path | None, isolated: bool, **over: Any
) -> config.Settings:
    """Return what is in force for some paths, with what the command line says."""
    seen.watch()
    if isolated:
        return config.Settings().over(**over)
    return config.load(config.start_of(paths or [Path()]), file).over(**over)


def cache_of(folder: str | None, left_out: bool) -> dict[str, Any]:
    """Return the settings of the cache."""
    here = os.path.abspath(folder) if folder else None
    return {"cache_dir": here, "no_cache": left_out or None}


def processes(jobs: int) -> int:
    """Return how many processes are meant; 0 is one a core."""
    return jobs or os.cpu_count() or 1


def check(
    *,
    paths: list[Path] | None = None,
    output_format: str = "text",
    output_file: Path | None = None,
    show_files: bool = False,
    watch: bool = False,
    select: list[str] | None = None,
    extend_select: list[str] | None = None,
    ignore: list[str] | None = None,
    fixable: list[str] | None = None,
    unfixable: list[str] | None = None,
    extend_exclude: list[str] | None = None,
    statistics: bool = False,
    exit_zero: bool = False,
    add_ignores: bool = False,
    report: Path | None = None,
    config_file: Path | None = None,
    isolated: bool = False,
    strict: bool | None = None,
    cache_dir: str | None = None,
    no_cache: bool = False,
    stdin_filename: Path | None = None,
    jobs: int = 1,
    quiet: bool = False,
    color: str = "auto",
) -> int:
    """Check; return the exit status."""
    from dlfix import commands

    def run() -> int:
        settings = settings_of(
            paths, config_file, isolated,
            select=codes(select), extend_select=codes(extend_select), ignore=codes(ignore),
            fixable=codes(fixable), unfixable=codes(unfixable),
            extend_exclude=codes(extend_exclude), strict=strict, **cache_of(cache_dir, no_cache),
        )  # fmt: skip
        request = commands.Request(
            tuple(paths or ()), settings, stdin_filename, quiet, color, processes(jobs), report
        )
        return commands.check(
            request, output_format=output_format, statistics=statistics, exit_zero=exit_zero,
            add_ignores=add_ignores, output_file=output_file, show_files=show_files,
        )  # fmt: skip

    if not watch:
        return run()
    if add_ignores or show_files or paths == [Path("-")]:
        raise config.ConfigError("--watch cannot be used with --add-ignores, --show-files or stdin")
    from dlfix.watching import again_on_change

    return again_on_change(lambda: ended(run), commands.tell)
