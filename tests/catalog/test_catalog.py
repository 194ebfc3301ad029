from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

import dlfix.catalog.catalog as reader
from dlfix.catalog import (
    ABSENT,
    UNKNOWN,
    Catalog,
    CatalogError,
    FunctionRow,
    OneOf,
    ResourceRow,
    Tail,
    load,
)
from dlfix.catalog.rows import TABLES, BoundaryRow, checked_row

HERE = Path(reader.__file__).parent


def whole_rows() -> list[tuple[str, object]]:
    rows = []
    for name in reader.FILES:
        for table, _, data in reader._read(HERE / f"{name}.toml"):
            rows.append((table, checked_row(table, data)))
    return rows


def test_all_rows_are_valid_and_the_index_reads_them_as_validation_does() -> None:
    catalog = load()
    lazy = [(table, row) for table in TABLES for row in catalog.rows(table)]
    assert sorted(map(repr, lazy)) == sorted(map(repr, whole_rows()))


def test_no_name_or_alias_of_a_table_stands_twice() -> None:
    seen: set[tuple[str, str]] = set()
    for table, row in whole_rows():
        for name in (row.name, *row.aliases):  # type: ignore[attr-defined]
            assert (table, name) not in seen, name
            seen.add((table, name))


def test_what_hangs_from_a_row_has_a_row() -> None:
    catalog = load()
    for table in ("resource", "type"):
        for row in catalog.rows(table):
            assert isinstance(row, ResourceRow)
            for type_ in row.derived.values():
                assert catalog.hanging(type_), f"{row.name}: {type_}"
            assert not set(row.plain) & set(row.derived), row.name


@pytest.mark.parametrize("table", ["resource", "type"])
def test_a_row_that_fails_says_with_what_error_if_it_was_measured(table: str) -> None:
    for row in load().rows(table):
        assert isinstance(row, ResourceRow)
        if row.pickles == "error" and row.measured:
            assert row.error, row.name


def test_what_boundaries_name_is_a_parameter_of_theirs() -> None:
    for row in load().rows("boundary"):
        named = {row.star, row.keywords, *row.items, row.context} - {""}  # type: ignore[union-attr]
        known = {*row.parameters, row.star, row.keywords}  # type: ignore[union-attr]
        if row.kind not in ("DataLoader", "Trainer"):  # type: ignore[union-attr]
            assert named <= known, row.name
            assert set(row.crosses) <= known, row.name  # type: ignore[union-attr]
        assert set(row.returns) <= set(row.crosses), row.name  # type: ignore[union-attr]


def boundary_method(catalog: Catalog, maker: str, method: str) -> BoundaryRow | None:
    """Return the boundary that a method is on what calling `maker` gives."""
    row = catalog.boundary(maker)
    return catalog.boundary(f"{row.type}.{method}") if row is not None and row.type else None


def test_the_methods_of_a_pool_are_found_by_what_made_it() -> None:
    catalog = load()
    for maker in ("multiprocessing.Pool", "torch.multiprocessing.Pool"):
        row = boundary_method(catalog, maker, "imap")
        assert row is not None
        assert row.items == ("iterable",)
    assert boundary_method(catalog, "multiprocessing.Pool", "close") is None


def test_a_context_gives_processes_and_pools() -> None:
    catalog = load()
    for method, kind in (("Process", "Process"), ("Pool", "Pool")):
        row = boundary_method(catalog, "multiprocessing.get_context", method)
        assert row is not None
        assert row.kind == kind


def test_threads_and_samplers_ship_nothing() -> None:
    catalog = load()
    for name in (
        "multiprocessing.pool.ThreadPool",
        "concurrent.futures.ThreadPoolExecutor",
        "joblib.Parallel",
        "torch.utils.data.WeightedRandomSampler",
        "threading.Thread",
    ):
        assert catalog.boundary(name) is None


def test_what_stays_in_the_parent_does_not_cross() -> None:
    row = load().boundary("torch.utils.data.DataLoader")
    assert row is not None
    assert set(row.crosses) == {"dataset", "collate_fn", "worker_init_fn"}
    assert row.position("num_workers") == 5
    assert row.position("prefetch_factor") is None


def test_a_re_export_is_the_same_row() -> None:
    catalog = load()
    assert catalog.resource("h5py._hl.files.File") is catalog.resource("h5py.File")
    assert catalog.resource("h5py.Nothing") is None


@pytest.mark.parametrize(
    ("file", "mmap_mode", "kind"),
    [
        ("x.npy", ABSENT, "plain"),
        (UNKNOWN, ABSENT, "plain"),
        (Tail(".npz"), ABSENT, "resource"),
        (Tail("npz.npy"), ABSENT, "plain"),
        (Tail("z"), ABSENT, "plain"),
        (OneOf(("x.npz", "y.npz")), ABSENT, "resource"),
        (OneOf(("x.npz", "y.npy")), ABSENT, "plain"),
        (Tail(".npz"), "r", "resource"),
        (UNKNOWN, Tail("r"), "plain"),
        (UNKNOWN, "r", "memmap"),
        (UNKNOWN, None, "plain"),
        (UNKNOWN, UNKNOWN, "plain"),
    ],
)
def test_numpy_load_depends_on_its_arguments(file: object, mmap_mode: object, kind: str) -> None:
    row = load().resource("numpy.load")
    assert row is not None
    assert row.variant(lambda position, _: file if position == 0 else mmap_mode).kind == kind


def test_numpy_load_is_an_archive_if_it_is_used_as_one() -> None:
    row = load().resource("numpy.load")
    assert row is not None
    assert row.variant(lambda *_: UNKNOWN, frozenset({"files"})).type.endswith("NpzFile")
    assert row.variant(lambda *_: UNKNOWN, frozenset({"shape"})).kind == "plain"


def test_an_archive_is_never_mapped_whatever_the_mode_says() -> None:
    row = load().resource("numpy.load")
    assert row is not None

    def read(position: int | None, _: str) -> object:
        return "r" if position == 1 else UNKNOWN

    assert row.variant(read, frozenset({"keys"})).type.endswith("NpzFile")
    assert row.variant(read, frozenset({"[str]"})).kind == "memmap"  # a field of a mapped record


@pytest.mark.parametrize(("file", "action"), [(-1, "report"), (3, "lazy"), (UNKNOWN, "lazy")])
def test_memory_that_no_file_backs_is_not_mapped_again(file: object, action: str) -> None:
    row = load().resource("mmap.mmap")
    assert row is not None
    assert row.variant(lambda position, _: file if position == 0 else ABSENT).action == action


@pytest.mark.parametrize(
    ("mode", "action"), [(ABSENT, "lazy"), ("r", "lazy"), ("rb", "lazy"), ("ab", "report")]
)
def test_a_file_is_opened_anew_only_for_reading(mode: object, action: str) -> None:
    row = load().resource("builtins.open")
    assert row is not None
    assert row.variant(lambda *_: mode).action == action


@pytest.mark.parametrize(
    ("python", "words"),
    [((3, 9), "_io.Buf"), ((3, 11), "_io.Buf"), ((3, 12), "Buf"), ((3, 14), "Buf")],
)
def test_an_error_is_worded_as_that_python_does(python: tuple[int, int], words: str) -> None:
    row = load().resource("open")
    assert row is not None
    assert row.error_on(python).startswith(f"TypeError: cannot pickle '{words}")


def test_a_subscript_with_a_name_gives_a_dataset_and_a_slice_gives_data() -> None:
    catalog = load()
    row = catalog.resource("h5py.File")
    assert row is not None
    dataset = catalog.hanging(row.hangs("__getitem__", "x") or "")
    assert dataset is not None
    assert dataset.hangs("__getitem__", 0) is None
    assert "[]" in dataset.plain


def test_the_words_of_the_catalogue_are_those_of_boundaries_and_datasets() -> None:
    words = load().words
    assert {b"DataLoader", b"Dataset", b"Process", b"ProcessPoolExecutor"} <= words
    assert b"datasets" in words  # of the family `torchvision.datasets.*`
    assert all(word.decode().isidentifier() for word in words)
    assert b"LightningDataModule" in words
    assert not {b"map", b"submit", b"apply", b"connect", b"from_datasets"} & words


def write(folder: Path, text: str) -> Path:
    path = folder / "more.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_user_adds_rows_and_replaces_ours(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '[[resource]]\nname = "acme.Store"\naliases = ["acme.store.Store"]\nclose = "shut"\n'
        'type = "acme.store.Store"\n'
        '[[resource]]\nname = "h5py.File"\nkind = "plain"\npickles = "ok"\n'
        '[[boundary]]\nname = "ship"\ncrosses = ["job"]\n',
    )
    catalog = load([path])
    assert b"ship" in catalog.words
    row = catalog.resource("acme.store.Store")
    assert row is not None
    assert (row.close, row.fails) == ("shut", True)
    ours = catalog.resource("h5py.File")
    assert ours is not None
    assert not ours.fails
    assert load().resource("acme.Store") is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[[resource]]\nclose = "x"', "[[resource]] row 1: `name` is missing"),
        ('[[resource]]\nname = "a.B"\nshut = "x"', "row 1 (a.B): unknown key `shut`"),
        ('[[resource]]\nname = "a.B"\naction = "soon"', "`action` must be one of lazy, drop"),
        ('[[holder]]\nname = "a.B"\nkeeps = "x"', "`keeps` must be a table"),
        ('[[boundary]]\nname = "a.B"\ncrosses = "x"', "`crosses` must be a list"),
        ('[[boundary]]\nname = "a.B"\ncrosses = [1]', "`crosses[0]` must be a string"),
        ('[[boundary]]\nname = "a.B"\nresults = 1', "`results` must be true or false"),
        ('[[resource]]\nname = "a.B"\nmodes = 1', "`modes` must be a list"),
        ('[[resource]]\nname = "a.B"\nmodes = [1]', "`modes[0]` must be a table"),
        (
            '[[resource]]\nname = "a.B"\nmodes = [{ parameter = 1 }]',
            "`modes[0].parameter` must be a string",
        ),
        (
            '[[resource]]\nname = "a.B"\nmodes = [{ matches = "(" }]',
            "`matches` is not a valid regular",
        ),
        ('[[resource]]\nname = "a.B"\nmodes = [{ kind = 1 }]', "`kind` must be one of resource"),
        ('[[resource]]\nname = ""', "row 1: `name` must not be empty"),
        ('[[resource]]\nname = "a.B"', "row 1 (a.B): `error`, `error_by_python`, `fork`, "),
        ('[[boundary]]\nname = "a.B"', "`crosses`, `items`, `self_crosses` or `type` is missing"),
        ('[[holder]]\nname = "a.B"', "row 1 (a.B): `keeps`, `star`, "),
        ('[[callable]]\nname = "a.B"', "row 1 (a.B): `error` is missing"),
        ('[[resorce]]\nname = "a.B"', "unknown table `resorce`"),
        ('[resource]\nname = "a.B"', "must be an array of tables"),
        ("nonsense", "more.toml: "),
    ],
)
def test_a_wrong_row_is_told_in_one_line_with_file_and_row(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(CatalogError) as caught:
        load([path])
    assert str(caught.value).startswith(str(path))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"none\.toml: No such file"):
        Catalog([], [tmp_path / "none.toml"])


def test_a_function_has_the_row_of_the_nearest_module_around_it() -> None:
    catalog = load()
    does = {
        name: getattr(catalog.function(name), "does", None)
        for name in ("numpy.linalg.norm", "numpy.save", "torchvision.io.read_image", "toolbox.norm")
    }
    assert list(does.values()) == ["nothing", "writes", "reads", None]


def test_what_a_function_does_with_files_is_no_knowledge_of_what_it_gives() -> None:
    assert not load().knows("easydict.EasyDict")


def test_the_files_that_a_function_writes_are_parameters_of_it() -> None:
    for row in load().rows("function"):
        assert isinstance(row, FunctionRow)
        assert not row.files or row.does == "writes", row.name
        assert set(row.files) <= {*row.parameters, "local_dir"}, row.name


@pytest.mark.parametrize("row", [*load().rows("function")], ids=lambda row: row.name)
def test_a_function_of_an_installed_library_is_there(row: FunctionRow) -> None:
    for name in (row.name, *row.aliases):
        owner, _, last = name.rpartition(".")
        library = sys.modules.get(owner) or _imported(owner)
        if library is not None and last != "*" and not row.of_object:
            assert hasattr(library, last), name


def _imported(name: str) -> object:
    try:
        return import_module(name)
    except ImportError:
        return None
