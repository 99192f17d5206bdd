"""The report of a cohort: one row per item, as CSV or Parquet."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path
from typing import Any, Mapping, Sequence

from ..dask._files import replace_file

#: Columns of a report, with their types in Parquet.
COLUMNS = {
    "output": str, "status": str, "reason": str, "moving": str, "fixed": str,
    "metric": float, "explained": float, "significance": float, "overlap": float, "dice": float,
    "folds": int, "voxels": int, "smallest_determinant": float, "largest_determinant": float,
    "seconds": float, "seconds_registration": float,
    "worker": str, "backend": str, "device": int, "version": str, "warnings": str,
}  # fmt: skip


def save(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Writes rows as .csv or .parquet, complete or not at all. Raises ValueError for other names, ImportError without
    pyarrow."""
    if path.suffix.lower() == ".parquet":
        replace_file(path, lambda part: _write_parquet(rows, part))
    elif path.suffix.lower() == ".csv":
        replace_file(path, lambda part: _write_csv(rows, part))
    else:
        raise ValueError(f"report: {path} must be a .csv or .parquet file.")


def check(path: Path) -> None:
    """Raises what save() would raise, and FileNotFoundError without the folder, before anything is computed."""
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError(f"report: {path} must be a .csv or .parquet file.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"report: there is no folder {path.parent}.")
    if path.suffix.lower() == ".parquet":
        _import_pyarrow()


def _write_csv(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(COLUMNS), restval="")
        writer.writeheader()
        writer.writerows(
            [{name: "" if row.get(name) is None else row[name] for name in COLUMNS} for row in rows]
        )


def _write_parquet(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    pyarrow, parquet = _import_pyarrow()
    types = {str: pyarrow.string(), float: pyarrow.float64(), int: pyarrow.int64()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    table = pyarrow.Table.from_pylist(
        [{name: row.get(name) for name in COLUMNS} for row in rows], schema=schema
    )
    parquet.write_table(table, path)


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise ImportError(
            "report: Parquet needs pyarrow; pip install pyarrow, or write .csv."
        ) from error
