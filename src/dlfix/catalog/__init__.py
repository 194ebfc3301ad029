"""Data about libraries: what ships objects to workers, what opens a handle, what can be pickled."""

from dlfix.catalog.catalog import Catalog, load
from dlfix.catalog.rows import (
    ABSENT,
    PERHAPS,
    UNKNOWN,
    BoundaryRow,
    CallableRow,
    CatalogError,
    DatasetRow,
    FunctionRow,
    HolderRow,
    NamingRow,
    OneOf,
    ResourceRow,
    SettingRow,
    Tail,
    Variant,
)

__all__ = [
    "ABSENT",
    "PERHAPS",
    "UNKNOWN",
    "BoundaryRow",
    "CallableRow",
    "Catalog",
    "CatalogError",
    "DatasetRow",
    "FunctionRow",
    "HolderRow",
    "NamingRow",
    "OneOf",
    "ResourceRow",
    "SettingRow",
    "Tail",
    "Variant",
    "load",
]
