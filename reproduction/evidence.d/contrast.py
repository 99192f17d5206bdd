"""Two brains with the contrast of the moving one inverted: MNI152 2009a, and Colin27 as 1.1 times its brightest value minus its value, 0 outside of its mask."""

from dataclasses import replace

import numpy


def inverted(pair):
    """The pair with the moving image's contrast inverted."""
    import pairs

    values = pair.moving.array
    inverse = numpy.where(pair.moving_mask, numpy.float32(1.1 * values.max()) - values, numpy.float32(0))
    return replace(pair, name="contrast", title=f"{pair.title}, inverted", moving=pairs.like(pair.moving, inverse))


def make(spacing, folders):
    import images

    return inverted(images.brains(spacing, folders))
