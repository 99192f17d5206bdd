#!/usr/bin/env python3
"""Registers two brains by gradients: Adam on grids of B-spline coefficients, coarse and fine ones together, and draws what comes of it.

usage: register_by_gradients.py [--spacing MM] [--steps COUNT] [--device NAME] [--picture FILE] [FIXED MOVING]

FIXED and MOVING are NIfTI files of two brains that lie on each other roughly (default: MNI152, which PyPI's nilearn has, and Colin27 of
Debian's package mricron-data, both without their skulls). Needs PyTorch, nibabel and matplotlib; takes some minutes on two cores, and runs on
a GPU where PyTorch has one.
"""

import argparse
import importlib.util
import time
from pathlib import Path

import nibabel
import torch

import cudaspline
import cudaspline.torch as spline

COLIN27 = Path("/usr/share/mricron/templates/ch2bet.nii.gz")


def default_brains():
    """The files of MNI152 and Colin27."""
    nilearn = importlib.util.find_spec("nilearn")
    if nilearn is None or not COLIN27.exists():
        raise SystemExit("Name two files: there is no nilearn (PyPI) or no mricron-data (Debian), whose brains are the default.")
    return Path(nilearn.origin).parent / "datasets/data/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz", COLIN27


def read(names, spacing, device):
    """Images on a coarse grid over the first one, as batches of one image with one channel; the bright half of each is about 1."""
    first = nibabel.load(names[0])
    for name in names:
        image = cudaspline.resample(nibabel.load(name), None, first, spacing=spacing, interpolation="linear", smooth="auto", dtype="float32")
        values = torch.tensor(image.get_fdata(dtype="float32").T, device=device)[None, None]
        yield values / values[values > values.mean()].mean()


def register(fixed, moving, steps):
    """The field under which the moving image is like the fixed one."""
    # [register]
    grids = [torch.zeros(1, n, n, n, 3, device=fixed.device, requires_grad=True) for n in (7, 11, 15)]
    optimizer = torch.optim.Adam(grids, lr=0.1)
    for step in range(steps):
        optimizer.zero_grad()
        field = sum(spline.ffd(grid, fixed.shape[2:]) for grid in grids)
        warped = spline.warp(moving, field)
        loss = spline.local_correlation(fixed, warped, radius=2, mask=fixed > 0.1)
        (loss + 0.05 * spline.bending(field) + spline.folding(field, least=0.2)).backward()
        optimizer.step()
    # [register]
        if step % 10 == 0:
            print(f"step {step}: {loss.item():.4f}", flush=True)
    return field.detach()


def correlation(fixed, moving):
    """Of the brains' samples, those of the fixed one."""
    brain = fixed > 0.1
    return torch.corrcoef(torch.stack([fixed[brain], moving[brain]]))[0, 1].item()


def draw(name, fixed, moving, warped, field):
    """A slice of all, and where its samples go."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 6, figsize=(13, 3), layout="constrained")
    middle = fixed.shape[2] // 2
    titles = ("fixed", "moving", "moving, registered", "difference before", "difference after")
    for axis, title, image in zip(axes, titles, (fixed, moving, warped, moving - fixed, warped - fixed)):
        style = {"cmap": "RdBu", "vmin": -1, "vmax": 1} if "difference" in title else {"cmap": "gray", "vmin": 0, "vmax": 1.5}
        axis.imshow(image[0, 0, middle].cpu().numpy(), origin="lower", **style)
        axis.set_title(title, fontsize=9)
    places = (spline.identity(field.shape[1:-1]) + field[0].cpu())[middle].numpy()
    for lines in (places[::2], places[:, ::2].transpose(1, 0, 2)):
        axes[5].plot(lines[..., 2].T, lines[..., 1].T, color="black", linewidth=0.4)
    axes[5].set_title("where samples go", fontsize=9)
    axes[5].set_aspect("equal")
    for axis in axes:
        axis.axis("off")
    figure.savefig(name, dpi=80)


def main():
    parser = argparse.ArgumentParser(description="Registers two brains by gradients.")
    parser.add_argument("--spacing", type=float, default=4.0, help="of samples (mm)")
    parser.add_argument("--steps", type=int, default=60, help="of Adam")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="of PyTorch")
    parser.add_argument("--picture", default="register_by_gradients.png")
    parser.add_argument("names", nargs="*", metavar="FIXED MOVING")
    given = parser.parse_args()
    if len(given.names) not in (0, 2):
        parser.error("two files are registered: FIXED MOVING")
    fixed, moving = read(given.names or default_brains(), given.spacing, given.device)

    begin = time.perf_counter()
    field = register(fixed, moving, given.steps)
    warped = spline.warp(moving, field)
    print(f"{tuple(fixed.shape[2:])} samples on {given.device}: {time.perf_counter() - begin:.0f} s")
    print(f"correlation {correlation(fixed, moving):.3f} before, {correlation(fixed, warped):.3f} after")
    lengths = given.spacing * field.norm(dim=-1)[(fixed > 0.1)[0]]
    print(f"displacements of {lengths.mean():.1f} mm on average, {lengths.max():.1f} mm at most; determinants of "
          f"{spline.jacobian_determinant(field).min():.2f} and more")  # fmt: skip
    draw(given.picture, fixed, moving, warped, field)


if __name__ == "__main__":
    main()
