"""Functions of dipy.align.vector_fields by means of cudaspline, for run-suite: warps, compositions and inverses of displacement fields.

dipy's arrays, matrices and vectors name the slowest axis first, those of cudaspline x. Its images and fields fade to 0 over one sample outside,
which is linear interpolation with a margin of zeros.
"""

import numpy as np

import cudaspline


def _matrix(affine, dimension):
    """A homogeneous matrix, x first. ValueError as dipy's."""
    if affine is None:
        return np.eye(dimension + 1)
    affine = np.asarray(affine, np.float64)
    if (
        affine.ndim != 2
        or affine.shape[0] < dimension
        or affine.shape[1] != dimension + 1
        or np.isnan(affine).any()
    ):
        raise ValueError("Invalid affine transform matrix")
    found = np.eye(dimension + 1)
    order = [*range(dimension - 1, -1, -1), dimension]
    found[:-1] = affine[:dimension][order[:-1]][:, order]
    return found


def _linear(matrix):
    """The matrix without its offset."""
    found = matrix.copy()
    found[:-1, -1] = 0
    return found


def _padded(array, dimension):
    """The array with a margin of zeros."""
    return np.pad(np.asarray(array), [(1, 1)] * dimension + [(0, 0)] * (np.ndim(array) - dimension))


def _field(vectors, matrix):
    """Vectors of dipy as displacements of indices, multiplied by the linear part of a matrix."""
    dimension = vectors.shape[-1]
    turned = np.asarray(vectors, np.float64)[..., ::-1] @ matrix[:-1, :-1].T
    return cudaspline.DisplacementField(_padded(turned, dimension), origin=(-1.0,) * dimension)


def _grid(shape):
    """The geometry of indices."""
    return cudaspline.Image(np.empty([int(length) for length in shape], np.uint8))


def _warp(image, d1, affine_idx_in, affine_idx_out, affine_disp, out_shape, order):
    """image[C d1[A i] + B i] = image[B A^-1 (f + A B^-1 C d1[f])], f = A i."""
    image = np.asarray(image)
    dimension = image.ndim
    into, out, displacements = (
        _matrix(one, dimension) for one in (affine_idx_in, affine_idx_out, affine_disp)
    )
    shape = image.shape if out_shape is None else out_shape
    inverse = np.linalg.inv(out)
    chain = [
        out @ np.linalg.inv(into),
        _field(d1, into @ inverse @ displacements),
        into,
    ]
    moving = cudaspline.Image(_padded(image.astype("f8"), dimension), origin=(-1.0,) * dimension)
    found = cudaspline.resample(moving, chain, _grid(shape), order=order, smooth=False)
    return found.array.astype(image.dtype)


def warp_2d(image, d1, affine_idx_in=None, affine_idx_out=None, affine_disp=None, out_shape=None):
    """dipy's function of this name."""
    return _warp(image, d1, affine_idx_in, affine_idx_out, affine_disp, out_shape, 1)


def warp_2d_nn(
    image, d1, affine_idx_in=None, affine_idx_out=None, affine_disp=None, out_shape=None
):
    """dipy's function of this name."""
    return _warp(image, d1, affine_idx_in, affine_idx_out, affine_disp, out_shape, 0)


def warp_3d(volume, d1, affine_idx_in=None, affine_idx_out=None, affine_disp=None, out_shape=None):
    """dipy's function of this name."""
    return _warp(volume, d1, affine_idx_in, affine_idx_out, affine_disp, out_shape, 1)


def warp_3d_nn(
    volume, d1, affine_idx_in=None, affine_idx_out=None, affine_disp=None, out_shape=None
):
    """dipy's function of this name."""
    return _warp(volume, d1, affine_idx_in, affine_idx_out, affine_disp, out_shape, 0)


def _compose(d1, d2, premult_index, premult_disp, time_scaling, comp):
    """d1[i] + t d2[A i + B d1[i]], as B^-1 (T(i) - A i): T has the displacements t B d2 after A (i + A^-1 B d1[i]). 0 outside of d2, and left out
    of the statistics."""
    d1, d2 = np.asarray(d1), np.asarray(d2, np.float64)
    dimension = d1.shape[-1]
    index, displacements = _matrix(premult_index, dimension), _matrix(premult_disp, dimension)
    first = [index, _field(d1, np.linalg.inv(index) @ displacements)]
    chain = [_field(time_scaling * d2, displacements), *first]
    grid = _grid(d1.shape[:-1])
    start, middle, end = (
        cudaspline.Transform(one, dimension).field(grid, "float64").array
        for one in (index, first, chain)
    )
    found = ((end - start) @ np.linalg.inv(displacements[:-1, :-1]).T)[..., ::-1]
    point = np.moveaxis(np.indices(d1.shape[:-1]), 0, -1) + middle[..., ::-1]
    inside = ((point >= 0) & (point <= np.array(d2.shape[:-1]) - 1)).all(axis=-1)
    comp = np.empty(d1.shape, d1.dtype) if comp is None else np.asarray(comp)
    comp[...] = found * inside[..., None]
    norms = np.sqrt((found[inside] ** 2).sum(axis=-1))
    return comp, np.array([norms.max(), norms.mean(), norms.std()] if len(norms) else [0.0] * 3)


def compose_vector_fields_2d(d1, d2, premult_index, premult_disp, time_scaling, comp):
    """dipy's function of this name."""
    return _compose(d1, d2, premult_index, premult_disp, time_scaling, comp)


def compose_vector_fields_3d(d1, d2, premult_index, premult_disp, time_scaling, comp):
    """dipy's function of this name."""
    return _compose(d1, d2, premult_index, premult_disp, time_scaling, comp)


def _invert(d, d_world2grid, start):
    """The inverse where the iteration stops, which is not dipy's number of iterations nor its start."""
    d = np.asarray(d)
    dimension = d.shape[-1]
    to_index = _matrix(d_world2grid, dimension)
    inverse = cudaspline.Transform(_field(d, to_index), dimension).inverse()
    found = inverse.field(_grid(d.shape[:-1]), "float64").array
    found = (found @ np.linalg.inv(to_index[:-1, :-1]).T)[..., ::-1]
    if start is None:
        return found.astype(d.dtype)
    np.asarray(start)[...] = found
    return start


def invert_vector_field_fixed_point_2d(d, d_world2grid, spacing, max_iter, tolerance, start=None):
    """dipy's function of this name."""
    return _invert(d, d_world2grid, start)


def invert_vector_field_fixed_point_3d(d, d_world2grid, spacing, max_iter, tol, start=None):
    """dipy's function of this name."""
    return _invert(d, d_world2grid, start)


ADAPTERS = (
    warp_2d,
    warp_2d_nn,
    warp_3d,
    warp_3d_nn,
    compose_vector_fields_2d,
    compose_vector_fields_3d,
    invert_vector_field_fixed_point_2d,
    invert_vector_field_fixed_point_3d,
)
