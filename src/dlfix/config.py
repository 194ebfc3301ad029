"""Settings: `[tool.dlfix]` in pyproject.toml or dlfix.toml, and the command line over it."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from dlfix.source import seen
from dlfix.source.discovery import EXCLUDED, is_pattern
from dlfix.source.text import SourceError, contents
from dlfix.validation import STRICT, Invalid, validated

MOST = 4 << 20  # bytes of a configuration that are read


class ConfigError(Exception):
    """A configuration that cannot be used; one line that names the file and the key."""


def _key(default: Any, description: str, **constraints: Any) -> Any:
    return field(default=default, metadata={"description": description, **constraints})


def _alias(name: str) -> str:
    return name.replace("_", "-")


@dataclass(frozen=True)
class Configuration:
    """The settings of dlfix: dlfix.toml, or [tool.dlfix] in pyproject.toml."""

    # The one definition: pydantic validates files against it, and config.schema.json
    # and the table of docs/usage.md are generated from it (`make schema`).
    __pydantic_config__: ClassVar[Any] = {**STRICT, "alias_generator": _alias, "title": "dlfix"}

    select: tuple[str, ...] = _key(
        ("DLF",),
        "The rules to run: codes, prefixes of codes, or names.",
    )
    extend_select: tuple[str, ...] = _key(
        (),
        "Rules to run in addition to `select`.",
    )
    ignore: tuple[str, ...] = _key(
        (),
        "Rules to skip; if two selectors match a rule, the longer one takes precedence.",
    )
    fixable: tuple[str, ...] = _key(
        ("ALL",),
        "Rules whose findings may be fixed.",
    )
    unfixable: tuple[str, ...] = _key(
        (),
        "Rules whose findings are reported but not fixed; if two selectors match a rule, "
        "the longer one takes precedence.",
    )
    exclude: tuple[str, ...] = _key(
        EXCLUDED,
        "Files and folders to exclude, as `.gitignore` patterns.",
    )
    extend_exclude: tuple[str, ...] = _key(
        (),
        "Files and folders to exclude in addition to `exclude`.",
    )
    respect_gitignore: bool = _key(
        True,
        "Whether to skip files that git ignores.",
    )
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict,
        metadata={"description": "Rules to skip in files that match a pattern."},
    )
    unsafe_fixes: bool = _key(
        False,
        "Whether `dlfix apply` also applies fixes that may change the behavior of the program.",
    )
    target_start_methods: tuple[Literal["fork", "spawn", "forkserver"], ...] = _key(
        ("fork", "spawn", "forkserver"),
        "The start methods that the program must support; with only `fork`, findings that "
        "only affect pickling are not reported.",
        min_length=1,
    )
    prefer: Literal["lazy", "state"] = _key(
        "lazy",
        "The preferred form of a fix: `lazy` opens a resource on first use; `state` keeps "
        "`__init__` and reopens the resource when the object is unpickled. If the proof "
        "rejects this form, dlfix tries the other one.",
    )
    extend_catalog: tuple[str, ...] = _key(
        (),
        "Catalogue files that define additional resources and loaders, relative to the "
        "configuration file.",
    )
    strict: bool = _key(
        False,
        "Whether to exit with status 2 if any file cannot be parsed.",
    )
    cache_dir: str = _key(
        "",
        "The folder for cached results, inside the folder of the configuration file. If "
        "empty, the user's cache directory is used.",
    )


@dataclass(frozen=True)
class Settings(Configuration):
    """A configuration, and where it comes from."""

    root: Path = field(default_factory=Path.cwd)  # what patterns and paths are relative to
    file: Path | None = None
    origins: Mapping[str, str] = field(default_factory=dict)
    no_cache: bool = False
    nearest: Callable[[Path], Settings] | None = field(default=None, compare=False, repr=False)

    def of(self, path: Path) -> Settings:
        """Return what is in force for a file: the configuration nearest to it counts."""
        return self if self.nearest is None else self.nearest(path.parent)

    @property
    def says_codes(self) -> bool:
        """Whether it names rules."""
        said = (self.select, self.extend_select, self.ignore, self.per_file_ignores)
        return said != (("DLF",), (), (), {})

    def origin(self, name: str) -> str:
        """Return where a value came from: "default", a file, "command line"."""
        return self.origins.get(name, "default")

    def catalog_files(self) -> tuple[Path, ...]:
        """Return the extra catalogue files; relative ones lie beside the configuration."""
        return tuple(self.root / name for name in self.extend_catalog)

    def over(self, **values: Any) -> Settings:
        """Return these settings with what the command line says; None says nothing."""
        said = {name: value for name, value in values.items() if value is not None}
        for name in ("extend_select", "extend_exclude"):
            if name in said:
                said[name] = (*getattr(self, name), *said[name])
        _refuse_no_pattern("--extend-exclude", values.get("extend_exclude") or ())
        origins = {**self.origins, **dict.fromkeys(said, "command line")}
        near = self.nearest
        if near is not None:
            said["nearest"] = functools.cache(lambda folder: near(folder).over(**values))
        return replace(self, **said, origins=origins)


KEYS = tuple(_alias(one.name) for one in fields(Configuration))


def start_of(paths: Sequence[Path]) -> Path:
    """Return the folder that the configuration of these paths is looked for from."""
    absolute = [Path.cwd() if path == Path("-") else path.absolute() for path in paths or [Path()]]
    common = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in absolute]))
    return common if common.is_dir() else Path.cwd()


def load(start: Path, explicit: Path | None = None) -> Settings:
    """Read the nearest configuration at or above `start`, or the one that is named.

    Where none is named, each file has the one that is nearest to it.
    """
    if explicit is not None:
        return _read(explicit, required=True) or Settings()

    @functools.cache
    def nearest(folder: Path) -> Settings:
        for name in ("dlfix.toml", "pyproject.toml"):
            file = folder / name
            settings = _read(file) if seen.is_file(file) else None
            if settings is not None:
                return settings
        return nearest(folder.parent) if folder.parent != folder else Settings(root=start)

    return replace(nearest(start), nearest=nearest)


def _read(file: Path, *, required: bool = False) -> Settings | None:
    table = _table(file, required)
    if table is None:
        return None
    if not table:
        return Settings(root=file.parent, file=file)
    try:
        given = validated(Configuration, table)
    except Invalid as error:
        raise ConfigError(f"{file}: {error}") from None
    for key in ("exclude", "extend-exclude", "per-file-ignores"):
        _refuse_no_pattern(f"{file}: `{key}`", table.get(key, ()))
    if not _is_below(file.parent, given.cache_dir):
        raise ConfigError(
            f"{file}: `cache-dir` must be inside the folder of the configuration file (use "
            "`--cache-dir` for another folder)"
        )
    values = {name: getattr(given, name) for name in (key.replace("-", "_") for key in table)}
    return Settings(**values, root=file.parent, file=file, origins=dict.fromkeys(values, str(file)))


def _table(file: Path, required: bool) -> dict[str, Any] | None:
    """Return the table of a file, None where it has none; what is wrong in other tables is passed over."""
    try:
        data = contents(file, MOST)
    except SourceError as error:
        if not required and file.name == "pyproject.toml":
            return None
        raise ConfigError(f"{file}: {error.reason}") from error
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    ours = required or file.name != "pyproject.toml" or re.search(rb"tool\s*\.\s*dlfix", data)
    try:
        tables: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        if not ours:
            return None  # another tool will say so
        raise ConfigError(f"{file}: {_wrong(error)}") from error
    if file.name != "pyproject.toml":
        return dict(tables)
    tools = tables.get("tool")
    table = tools.get("dlfix") if isinstance(tools, dict) else None
    if table is None:
        return {} if required else None
    if isinstance(table, dict):
        return table
    raise ConfigError(f"{file}: tool.dlfix must be a table")


def _wrong(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _is_below(folder: Path, name: str) -> bool:
    """Return whether a name leads to a place in a folder, links followed: a checkout writes nowhere else."""
    try:
        place = os.path.realpath(folder / name)
    except ValueError:  # a null byte
        return False
    return Path(place).is_relative_to(os.path.realpath(folder))


def _refuse_no_pattern(where: str, patterns: Iterable[str]) -> None:
    for pattern in patterns:
        if not is_pattern(pattern):
            raise ConfigError(f"{where}: invalid file pattern `{pattern}`")
