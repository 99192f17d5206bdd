"""Lesions that only one image has, left out by a mask: how far they disturb the registration around them.

The moving image is Colin27, bent gently with the seed of images.BENDS. In the fixed image COUNT balls of RADIUS voxels are replaced, in turns by dark and
bright ones: 0.15 or 1.1 of the brightest tissue, with smooth noise of 0.1 (a Gaussian of 1.5 voxels). Their centres are drawn with the seed below among
the voxels of the brain that are at least RADIUS + 2 voxels inside of it, at least three radii apart. The mask of the registration leaves the balls out.
The ring is what is 1 to 4 voxels outside of the balls, within the brain.
"""

from dataclasses import replace

import numpy

COUNT, RADIUS, RING, SEED = 4, 10.0, (1.0, 4.0), 54


def centres_of(depth, random):
    """Indices of the balls' centres, drawn among voxels by their depth in the brain."""
    candidates = numpy.argwhere(depth >= RADIUS + 2)
    found = []
    for place in candidates[random.permutation(len(candidates))]:
        if all(numpy.linalg.norm(place - other) >= 3 * RADIUS for other in found):
            found.append(place)
        if len(found) == COUNT:
            return found
    raise ValueError(f"the brain has no room for {COUNT} balls of {RADIUS:g} voxels: a finer spacing is needed")


def make(spacing, folders):
    import images
    from scipy import ndimage

    pair = images.bent(images.BENDS[0], spacing, folders)
    random = numpy.random.default_rng(SEED)
    index = numpy.moveaxis(numpy.indices(pair.fixed.shape), 0, -1)
    values, distance = pair.fixed.array.copy(), numpy.full(pair.fixed.shape, numpy.inf)
    texture = ndimage.gaussian_filter(random.standard_normal(pair.fixed.shape), 1.5)
    texture *= 0.1 / texture.std()
    for number, centre in enumerate(centres_of(ndimage.distance_transform_edt(pair.mask), random)):
        here = numpy.linalg.norm(index - centre, axis=-1)
        inside = here <= RADIUS
        values[inside] = numpy.clip((0.15, 1.1)[number % 2] + texture[inside], 0, None)
        distance = numpy.minimum(distance, here - RADIUS)
    region = pair.mask & (distance >= RING[0]) & (distance <= RING[1])
    title = "Colin27 with lesions, and Colin27, bent gently"
    return replace(pair, name="lesion", title=title, fixed=images.like(pair.fixed, values), valid=distance > 0, region=region)
