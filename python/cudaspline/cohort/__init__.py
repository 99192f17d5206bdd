"""Cohorts: registrations of a table on a cluster of Dask, with one report, and templates of many images.

register() is cudaspline.dask.register(). Needs dask and distributed, pip install "cudaspline[dask]", except for
template() without a client; reports in Parquet need pyarrow.
"""

from ._run import Cohort, register
from ._table import Item, read_bids, read_table
from ._template import Template, template

__all__ = ["Cohort", "Item", "Template", "read_bids", "read_table", "register", "template"]
