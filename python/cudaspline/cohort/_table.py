"""What a cohort registers: the rows of a table, or the files of a BIDS folder."""

from __future__ import annotations

import csv
import os
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Union


@dataclass(frozen=True)
class Item:
    """One registration of a cohort.

    moving, fixed: names of image files; fixed is that of the call if it is missing here
    output: the folder that is written: it must not exist, or be the complete one of an earlier run
    mask, moving_mask: names of files of masks
    labels, moving_labels: names of files of labels, whose overlap is reported

    Examples
    --------
    >>> import cudaspline.cohort
    >>> cudaspline.cohort.Item("sub-01_T1w.nii.gz", "out/sub-01", fixed="template.nii.gz").output
    'out/sub-01'
    """

    moving: str
    output: str
    fixed: Optional[str] = None
    mask: Optional[str] = None
    moving_mask: Optional[str] = None
    labels: Optional[str] = None
    moving_labels: Optional[str] = None


#: Columns of a table.
COLUMNS = tuple(one.name for one in fields(Item))
#: What a BIDS name begins with, before its suffix and its ending.
_BIDS = re.compile(
    r"sub-[A-Za-z0-9]+(_[A-Za-z0-9]+-[A-Za-z0-9]+)*_(?P<suffix>[A-Za-z0-9]+)\.nii(\.gz)?"
)


def read_table(path: Union[str, "os.PathLike[str]"]) -> list[Item]:
    """The rows of a CSV file (or, of a name that ends with .tsv, of a table with tabs) with the columns moving and
    output, and optionally fixed, mask, moving_mask, labels and moving_labels.

    Relative names are relative to the folder of the table. Raises FileNotFoundError or ValueError, naming the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import cudaspline.cohort
    >>> table = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = table.write_text("moving,output\\na.nii.gz,out/a\\nb.nii.gz,out/b\\n")
    >>> [pathlib.Path(item.moving).name for item in cudaspline.cohort.read_table(table)]
    ['a.nii.gz', 'b.nii.gz']
    """
    table = Path(path)
    if not table.is_file():
        raise FileNotFoundError(f"table: there is no file {table}.")
    with table.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file, delimiter="\t" if table.suffix.lower() == ".tsv" else ",")
        unknown = [name for name in reader.fieldnames or [] if name not in COLUMNS]
        if unknown:
            raise ValueError(
                f"table: {table} has an unknown column {unknown[0]!r}; allowed are {', '.join(COLUMNS)}."
            )
        return [_item_of(row, table, reader.line_num) for row in reader if any(row.values())]


def _item_of(row: Mapping[str, Any], table: Path, line: int) -> Item:
    values = {
        name: value.strip()
        for name, value in row.items()
        if name is not None and value and value.strip()
    }
    missing = [name for name in ("moving", "output") if name not in values]
    if missing or None in row:
        raise ValueError(
            f"table: line {line} of {table} has {'more values than columns' if None in row else f'no value in the column {missing[0]}'}."
        )
    return Item(**{name: str(table.parent / value) for name, value in values.items()})


def read_bids(
    folder: Union[str, "os.PathLike[str]"],
    output: Union[str, "os.PathLike[str]"],
    suffix: str = "T1w",
) -> list[Item]:
    """The images of a BIDS folder by their names: sub-*/anat/*_T1w.nii.gz, also in folders of sessions.

    folder: of the data set
    output: the folder under which each image has its own, with the names of the data set
    suffix: what names end with

    Raises FileNotFoundError if there is none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import cudaspline.cohort
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "sub-01" / "anat").mkdir(parents=True)
    >>> (folder / "sub-01" / "anat" / "sub-01_T1w.nii.gz").touch()
    >>> [pathlib.Path(item.output).name for item in cudaspline.cohort.read_bids(folder, folder / "derivatives")]
    ['sub-01_T1w']
    """
    root, found = Path(folder), []
    for path in sorted(root.glob("sub-*/**/*.nii*")):
        match = _BIDS.fullmatch(path.name)
        if match and match["suffix"] == suffix:
            name = path.name.partition(".")[0]
            found.append(Item(str(path), str(Path(output) / path.parent.relative_to(root) / name)))
    if not found:
        raise FileNotFoundError(f"folder: {root} has no file sub-*/**/*_{suffix}.nii or .nii.gz.")
    return found


def items_of(given: Any) -> list[Item]:
    """Items of the name of a table, or of a list of items and mappings. Raises TypeError or ValueError."""
    if isinstance(given, (str, os.PathLike)):
        return read_table(given)
    if not isinstance(given, Iterable):
        raise TypeError(
            f"items: the name of a table or a list of items is needed, not {type(given).__name__}."
        )
    found = []
    for number, one in enumerate(given):
        if not isinstance(one, (Item, Mapping)):
            raise TypeError(
                f"items[{number}]: an Item or a mapping is needed, not {type(one).__name__}."
            )
        found.append(
            one
            if isinstance(one, Item)
            else Item(**{name: os.fspath(value) for name, value in one.items()})
        )
    return found
