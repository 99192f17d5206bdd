#!/usr/bin/env python3
"""Registers two brains by gradients: Adam on a grid of B-spline coefficients makes a bent brain the straight one again, and draws all.

usage: register_by_gradients.py [IMAGE [PICTURE]]

IMAGE is a NIfTI file of three axes (default: the brain of Debian's package mricron-data), PICTURE what is written (default:
register_by_gradients.png). The second brain is the first one under a random field of displacements, so it is known what should come out.
Needs PyTorch, nibabel and matplotlib; takes a minute on two cores, and runs on a GPU where PyTorch has one.
"""

import sys

import nibabel
import numpy
import torch

import cudaspline
import cudaspline.torch as spline

SAMPLES = 48  # along each axis: registrations of real images have more


def small_brain(name, device):
    """A brain on a coarse grid, from 0 to 1, as a batch of one image with one channel."""
    brain = nibabel.load(name)
    zoomed = cudaspline.zoom(numpy.asanyarray(brain.dataobj).astype("float32"), [SAMPLES / n for n in brain.shape[::-1]], order=1)
    image = torch.tensor(zoomed, device=device)[None, None]
    return image / image.max()


def registered(fixed, moving, steps=60):
    """The field under which the moving image is like the fixed one."""
    # [register]
    coefficients = torch.zeros(1, 9, 9, 9, 3, device=fixed.device, requires_grad=True)
    optimizer = torch.optim.Adam([coefficients], lr=0.3)
    for step in range(steps):
        optimizer.zero_grad()
        field = spline.ffd(coefficients, fixed.shape[2:])
        warped = spline.warp(moving, field, mode="nearest")
        loss = spline.local_correlation(fixed, warped, radius=2) + 0.05 * spline.bending(field)
        loss.backward()
        optimizer.step()
    # [register]
        if step % 10 == 0:
            print(f"step {step}: {loss.item():.4f}")
    return spline.ffd(coefficients, fixed.shape[2:]).detach()


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/mricron/templates/ch2.nii.gz"
    picture = sys.argv[2] if len(sys.argv) > 2 else "register_by_gradients.png"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    moving = small_brain(name, device)
    truth = spline.ffd(1.5 * torch.randn(1, 7, 7, 7, 3).to(device), moving.shape[2:])
    fixed = spline.warp(moving, truth, mode="nearest")

    field = registered(fixed, moving)
    warped = spline.warp(moving, field, mode="nearest")
    inside = (fixed > 0.1)[0, 0]
    error = (field - truth).square().sum(-1).sqrt()[0][inside]
    print(f"displacements of {truth.square().sum(-1).sqrt()[0][inside].mean():.2f} samples on average, found to {error.mean():.2f}")
    print(f"mean squares {spline.mean_squares(fixed, moving):.5f} before, {spline.mean_squares(fixed, warped):.5f} after")
    print(f"determinants of {spline.jacobian_determinant(field).min():.2f} and more")

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 5, figsize=(13, 3))
    middle = SAMPLES // 2
    for axis, (title, image, limit) in zip(
        axes,
        (
            ("fixed", fixed, (0, 1)),
            ("moving", moving, (0, 1)),
            ("moving, registered", warped, (0, 1)),
            ("difference before", moving - fixed, (-0.5, 0.5)),
            ("difference after", warped - fixed, (-0.5, 0.5)),
        ),
    ):
        axis.imshow(image[0, 0, :, middle].cpu().T, cmap="gray" if limit[0] == 0 else "RdBu", vmin=limit[0], vmax=limit[1], origin="lower")
        axis.set_title(title, fontsize=9)
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    main()
