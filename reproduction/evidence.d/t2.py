"""A T1-weighted image and a simulated T2-weighted one, bent by a known transform.

The fixed image is MNI152 2009a without its skull. The moving one is made of nilearn's maps of tissues of the same brain: 1.0 of cerebrospinal fluid,
0.6 of grey and 0.4 of white matter, bent strongly (images.BENDS) with the seed below, with a bias field of 30 % and noise of 5 %.
"""

import numpy

FLUID, GREY, WHITE = 1.0, 0.6, 0.4
SEED = 4


def make(spacing, folders):
    import images

    fixed, mask, maps = images.mni(spacing)
    tissues = numpy.where(mask, 1 + numpy.argmax(maps, axis=0), 0).astype(numpy.uint8)
    values = numpy.where(mask, FLUID * maps[0] + GREY * maps[1] + WHITE * maps[2], 0).astype(numpy.float32)
    bend = images.Bend("t2", "strongly", 12.0, noise=0.05, bias=0.3, seed=SEED)
    grid = images.at_spacing(images.mni(1.0)[0], images.FLOW).geometry
    return images.bend_image(bend, grid, fixed, images.like(fixed, values), mask, tissues, "MNI152 2009a and a simulated T2-weighted image of it, bent strongly")
