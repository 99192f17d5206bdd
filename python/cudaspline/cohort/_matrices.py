"""The mean of affine transforms that has no bias to small or large ones: arithmetic means of rotations shrink."""

from __future__ import annotations

from typing import Sequence

import numpy

#: Steps of the mean, which converges quadratically for matrices near each other.
_STEPS = 50


def mean_matrix(
    matrices: Sequence[numpy.ndarray], shares: Sequence[float], centre: numpy.ndarray
) -> numpy.ndarray:
    """The mean of homogeneous matrices: of their linear parts that M for which the mean of log(M^-1 M_i) is 0, and of
    the points to which they map a centre.

    shares: their weights, whose sum is 1"""
    n = len(centre)
    linear = [matrix[:n, :n] for matrix in matrices]
    mean = numpy.tensordot(shares, linear, 1)
    for _ in range(_STEPS):
        logarithms = [_logarithm(numpy.linalg.solve(mean, one)) for one in linear]
        step = numpy.tensordot(shares, logarithms, 1)
        mean = mean @ _exponential(step)
        if numpy.abs(step).max() < 1e-14:
            break
    point = sum(
        share * (matrix[:n, :n] @ centre + matrix[:n, n]) for share, matrix in zip(shares, matrices)
    )
    found = numpy.eye(n + 1)
    found[:n, :n], found[:n, n] = mean, point - mean @ centre
    return found


def _logarithm(matrix: numpy.ndarray) -> numpy.ndarray:
    """The principal logarithm: square roots by Denman and Beavers until the matrix is near the identity, then the
    series of log(1 + X)."""
    eye, halvings = numpy.eye(len(matrix)), 0
    while numpy.abs(matrix - eye).max() > 0.05 and halvings < 20:
        root, inverse = matrix, eye
        for _ in range(30):
            root, inverse = (
                0.5 * (root + numpy.linalg.inv(inverse)),
                0.5 * (inverse + numpy.linalg.inv(root)),
            )
        matrix, halvings = root, halvings + 1
    power, found = eye, numpy.zeros_like(matrix)
    for k in range(1, 25):
        power = power @ (matrix - eye)
        found = found + (-1) ** (k + 1) / k * power
    return 2.0**halvings * found


def _exponential(matrix: numpy.ndarray) -> numpy.ndarray:
    """The exponential by its series of a 2^-10th, which is squared."""
    term, found = numpy.eye(len(matrix)), numpy.eye(len(matrix))
    for k in range(1, 15):
        term = term @ matrix / (1024.0 * k)
        found = found + term
    for _ in range(10):
        found = found @ found
    return found
