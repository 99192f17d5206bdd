"""The phantom of an abdomen with its moving image as without contrast agent: in labelled organs, values v above 40 HU become 40 + 0.15 (v - 40)."""

from dataclasses import replace

import numpy

PLAIN, LEFT = 40.0, 0.15  # HU, and what is left of the enhancement


def unenhanced(pair):
    """The pair with the moving image without contrast agent."""
    import pairs

    values, labels = numpy.asarray(pair.moving.array), numpy.asarray(pair.moving_labels.array)
    plain = numpy.where((labels > 0) & (values > PLAIN), PLAIN + LEFT * (values - PLAIN), values)
    return replace(pair, name="phases", title=f"{pair.title}, one without contrast agent", moving=pairs.like(pair.moving, plain.astype(numpy.float32)))


def make(spacing, folders):
    import abdomen

    return unenhanced(abdomen.make(spacing, folders))
