"""cudaspline.zarr: stores of OME-Zarr against arrays in memory, to the bit."""

import json
import os
import shutil
import subprocess
import sys

import numpy
import pytest

import cudaspline

pytest.importorskip("dask.array", reason="Dask is not installed")
zarr = pytest.importorskip("zarr", reason="zarr is not installed", minversion="3")
ngff_zarr = pytest.importorskip("ngff_zarr", reason="ngff-zarr is not installed")

import cudaspline.zarr  # noqa: E402

VERSIONS = ("0.4", "0.5", "0.6")


def voxels(rng, shape=(40, 50, 60)):
    """Voxels of 16 bits."""
    return rng.integers(0, 60000, shape).astype("u2")


def bend(grid, reach=3.0):
    """Displacements on a grid that is 16 times coarser."""
    size = [n // 16 + 2 for n in grid.size]
    nodes = numpy.stack(
        numpy.meshgrid(*(numpy.arange(n) for n in size[::-1]), indexing="ij"), axis=-1
    )
    return cudaspline.DisplacementField(
        reach * numpy.sin(nodes + 1.0), 16 * grid.spacing, grid.origin
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_images_are_read_as_they_were_written(rng, tmp_path, version):
    image = cudaspline.Image(voxels(rng), spacing=(0.5, 1, 2), origin=(3, -4, 5))
    store = tmp_path / "image.zarr"
    cudaspline.zarr.write(image, store, version=version, chunk=16, scales=1, unit="micrometer")
    found = cudaspline.zarr.read(store)
    assert found.geometry == image.geometry and found.array.dtype == "u2"
    assert numpy.array_equal(found.array.compute(), image.array)
    coarse = cudaspline.zarr.levels(store)[1]
    assert coarse.size == (30, 25, 20) and coarse.spacing.tolist() == [1, 2, 4]
    assert coarse.origin.tolist() == [3.25, -3.5, 6.0]  # centres of 2 x 2 x 2 samples
    mean = cudaspline.zarr.load(store, level=1).array
    assert (
        numpy.abs(mean - image.array.reshape(20, 2, 25, 2, 30, 2).mean(axis=(1, 3, 5))).max() <= 1
    )
    assert cudaspline.zarr.load(store, voxels=30 * 25 * 20).shape == (20, 25, 30)
    other = ngff_zarr.from_ome_zarr(
        str(store), validate=True
    )  # another reader agrees, and the metadata keep to the schema
    assert (
        other.images[0].scale == {"z": 2.0, "y": 1.0, "x": 0.5}
        and other.images[0].axes_units["x"] == "micrometer"
    )


def test_levels_of_labels_have_the_most_frequent_one(rng, tmp_path):
    labels = numpy.repeat(
        numpy.repeat(numpy.repeat(rng.integers(0, 9, (8, 9, 10)), 2, 0), 2, 1), 2, 2
    ).astype("u2")
    wanted = labels[::2, ::2, ::2].copy()
    labels[::2, ::2, ::2] = 11  # one of eight
    cudaspline.zarr.write(labels, tmp_path / "labels.zarr", scales=1, is_labels=True)
    assert numpy.array_equal(cudaspline.zarr.load(tmp_path / "labels.zarr", level=1).array, wanted)


def test_channels_and_times_are_chosen(rng, tmp_path):
    array = voxels(rng, (2, 3, 20, 24, 28))
    image = ngff_zarr.to_ngff_image(
        array,
        dims=("t", "c", "z", "y", "x"),
        scale={"t": 1.0, "c": 1.0, "z": 2.0, "y": 1.0, "x": 1.0},
    )
    ngff_zarr.to_ome_zarr(
        str(tmp_path / "all.zarr"),
        ngff_zarr.to_multiscales(image, scale_factors=[], chunks=10),
        version="0.5",
    )
    found = cudaspline.zarr.load(tmp_path / "all.zarr", channel=2, time=1)
    assert numpy.array_equal(found.array, array[1, 2]) and found.spacing.tolist() == [1, 1, 2]
    with pytest.raises(ValueError, match="^channel: 3 does not exist; .* has 3, numbered from 0"):
        cudaspline.zarr.read(tmp_path / "all.zarr", channel=3)
    cudaspline.zarr.resample(
        tmp_path / "all.zarr",
        tmp_path / "out.zarr",
        channel=1,
        time=0,
        order=3,
        spacing=1.5,
        chunk=16,
        device="cpu",
    )
    wanted = cudaspline.resample(
        cudaspline.Image(array[0, 1], spacing=(1, 1, 2)),
        order=3,
        spacing=1.5,
        smooth=False,
        device="cpu",
    )
    assert numpy.array_equal(cudaspline.zarr.load(tmp_path / "out.zarr").array, wanted.array)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("order", [1, 3])
def test_blocks_have_the_bits_of_the_whole(rng, tmp_path, version, order):
    image = cudaspline.Image(voxels(rng, (70, 90, 110)), spacing=(0.5, 1, 2), origin=(3, -4, 5))
    cudaspline.zarr.write(
        image, tmp_path / "image.zarr", version=version, chunk=32, unit="nanometer"
    )
    field = bend(image.geometry)
    wanted = cudaspline.resample(image, field, order=order, device="cpu")
    shards = None if version == "0.4" else 2
    options = dict(order=order, version=version, chunk=16, shards=shards, device="cpu", scales=1)
    cudaspline.zarr.resample(
        tmp_path / "image.zarr",
        tmp_path / "out.zarr",
        field,
        workers=2,
        memory_limit=24 * 2**20,
        **options,
    )
    found = cudaspline.zarr.load(tmp_path / "out.zarr")
    assert found.geometry == image.geometry and found.array.dtype == "u2"
    assert numpy.array_equal(found.array, wanted.array)
    assert len(cudaspline.zarr.levels(tmp_path / "out.zarr")) == 2
    assert (
        ngff_zarr.from_ome_zarr(str(tmp_path / "out.zarr")).images[0].axes_units["x"] == "nanometer"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["image.zarr", "out.zarr"]


def test_workers_of_a_cluster_resample(rng, tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    image = cudaspline.Image(voxels(rng))
    cudaspline.zarr.write(image, tmp_path / "image.zarr", chunk=16)
    field = bend(image.geometry)
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        cudaspline.zarr.resample(
            tmp_path / "image.zarr", tmp_path / "out.zarr", field, order=3, chunk=32, device="cpu"
        )
    wanted = cudaspline.resample(image, field, order=3, device="cpu")
    assert numpy.array_equal(cudaspline.zarr.load(tmp_path / "out.zarr").array, wanted.array)


def test_only_the_window_is_fetched(rng, tmp_path, monkeypatch):
    cudaspline.zarr.write(voxels(rng, (96, 96, 96)), tmp_path / "image.zarr", chunk=16, scales=0)
    fetched = []
    original = zarr.storage.LocalStore.get

    async def get(self, key, *arguments, **options):
        fetched.append(key)
        return await original(self, key, *arguments, **options)

    monkeypatch.setattr(zarr.storage.LocalStore, "get", get)
    cudaspline.zarr.resample(
        tmp_path / "image.zarr",
        tmp_path / "out.zarr",
        reference=cudaspline.Geometry((20, 20, 20), origin=(40, 40, 40)),
        order=1,
        device="cpu",
    )
    # Samples 40 to 59 and two for roundings: chunks 2 and 3 of 6 along each axis.
    chunks = {key for key in fetched if "/c/" in key and "image" in key}
    assert len([key for key in fetched if "/c/" in key]) <= 8 + 1 and len(chunks) == 8, chunks
    fetched.clear()
    assert cudaspline.zarr.read(tmp_path / "image.zarr").array[:16, :16, :16].compute().shape == (
        16,
        16,
        16,
    )
    assert len([key for key in fetched if "/c/" in key]) == 1


MEASURED = """
import json, sys, numpy, cudaspline, cudaspline.zarr
def peak():
    return next(1024 * int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
folder, limit = sys.argv[1], int(sys.argv[2]) grid = cudaspline.zarr.levels(f"{folder}/image.zarr")[0] field =
cudaspline.DisplacementField(numpy.load(f"{folder}/field.npy"), 16 * grid.spacing, grid.origin) small =
cudaspline.Geometry((8, 8, 8)) cudaspline.zarr.resample(f"{folder}/image.zarr", f"{folder}/warm.zarr", field, small,
order=3, device="cpu", scales=0) before = peak() cudaspline.zarr.resample(f"{folder}/image.zarr", f"{folder}/out.zarr",
field, order=3, device="cpu", workers=1, chunk=32, memory_limit=limit, scales=0) after = peak()
print(json.dumps({"before": before, "after": after}))
"""


@pytest.mark.skipif(
    not os.path.exists("/proc/self/status"), reason="Linux reports the peak of a process"
)
def test_memory_is_bounded(rng, tmp_path):
    """The peak above that of a small resampling is at most the limit and an eighth of it, while the volume takes
    more."""
    shape, limit = (200, 224, 256), 72 * 2**20
    ramp = numpy.arange(shape[-1], dtype="u2")
    image = cudaspline.Image(
        numpy.broadcast_to(200 * ramp, shape) + voxels(rng, (shape[0], 1, 1)) // 8
    )
    cudaspline.zarr.write(image, tmp_path / "image.zarr", chunk=32, scales=0)
    field = bend(image.geometry)
    numpy.save(tmp_path / "field.npy", field.array)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path), str(limit)],
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    whole = image.array.size * (2 + 4 + 2)  # voxels, coefficients, output
    print(
        "peak above the start", found["after"] - found["before"], "limit", limit, "the whole", whole
    )
    assert found["after"] - found["before"] <= limit + limit // 8 < whole
    wanted = cudaspline.resample(image, field, order=3, device="cpu")
    assert numpy.array_equal(cudaspline.zarr.load(tmp_path / "out.zarr").array, wanted.array)


def test_a_limit_that_is_too_low_is_refused(rng, tmp_path):
    cudaspline.zarr.write(voxels(rng), tmp_path / "image.zarr")
    with pytest.raises(ValueError, match="^memory_limit: blocks of 64 samples"):
        cudaspline.zarr.resample(
            tmp_path / "image.zarr", tmp_path / "out.zarr", order=3, memory_limit=1000
        )
    assert [path.name for path in tmp_path.iterdir()] == ["image.zarr"]


def test_registration_at_a_level(rng, tmp_path):
    z, y, x = numpy.mgrid[:48, :56, :64]
    blob = [
        30000 * numpy.exp(-((x - 30 - s) ** 2 / 90 + (y - 28) ** 2 / 60 + (z - 24) ** 2 / 120))
        for s in (0, 4)
    ]
    for name, one in zip(("fixed", "moving"), blob):
        cudaspline.zarr.write(
            cudaspline.Image(one.astype("u2"), spacing=0.5),
            tmp_path / f"{name}.zarr",
            chunk=16,
            scales=2,
        )
    voxels_of_level = 24 * 28 * 32
    found = cudaspline.zarr.register(
        tmp_path / "fixed.zarr",
        tmp_path / "moving.zarr",
        "translation",
        voxels=voxels_of_level,
        device="cpu",
    )
    assert found.warped.shape == (24, 28, 32)  # the second level
    assert numpy.allclose(found.transform.matrix[:3, 3], [2, 0, 0], atol=0.1)
    cudaspline.zarr.resample(
        tmp_path / "moving.zarr",
        tmp_path / "out.zarr",
        found.transform,
        tmp_path / "fixed.zarr",
        device="cpu",
    )
    moved = cudaspline.zarr.load(tmp_path / "out.zarr").array.astype(float)
    assert numpy.abs(moved - blob[0]).mean() < 0.1 * numpy.abs(blob[1] - blob[0]).mean()


def test_transforms_are_read_as_they_were_written(rng, tmp_path):
    points = rng.uniform(5, 20, (50, 3))
    affine = cudaspline.Transform(
        numpy.hstack([numpy.eye(3) + rng.uniform(-0.1, 0.1, (3, 3)), rng.uniform(-3, 3, (3, 1))]), 3
    )
    cudaspline.zarr.write_transform(affine, tmp_path / "affine.zarr")
    assert numpy.allclose(
        cudaspline.zarr.read_transform(tmp_path / "affine.zarr").apply(points),
        affine.apply(points),
        atol=1e-12,
    )
    grid = cudaspline.Geometry((14, 15, 16), (2, 1.5, 2), (1, 2, -1))
    field = cudaspline.Transform(
        cudaspline.DisplacementField(
            rng.uniform(-1, 1, (16, 15, 14, 3)).astype("f4"), grid.spacing, grid.origin
        ),
        3,
    )
    cudaspline.zarr.write_transform(field, tmp_path / "field.zarr", grid)
    assert numpy.allclose(
        cudaspline.zarr.read_transform(tmp_path / "field.zarr").apply(points),
        field.apply(points),
        atol=1e-5,
    )
    with pytest.raises(ValueError, match="^grid: "):
        cudaspline.zarr.write_transform(field, tmp_path / "none.zarr")
    plane = cudaspline.Transform([[0.0, -1.0, 3.0], [1.0, 0.5, 2.0]], 2)
    cudaspline.zarr.write_transform(plane, tmp_path / "plane.zarr")
    assert numpy.allclose(
        cudaspline.zarr.read_transform(tmp_path / "plane.zarr").matrix, plane.matrix
    )


def test_a_sequence_applies_its_first_transformation_first(rng, tmp_path):
    from ngff_zarr.v06 import zarr_metadata as rfc5

    grid = cudaspline.Geometry((10, 11, 12), 3.0)
    field = cudaspline.Transform(
        cudaspline.DisplacementField(
            rng.uniform(-1, 1, (12, 11, 10, 3)).astype("f4"), grid.spacing, grid.origin
        ),
        3,
    )
    cudaspline.zarr.write_transform(field, tmp_path / "all.zarr", grid)
    # In RFC-5 z is first: y and z are stretched, and x is moved.
    steps = [
        rfc5.Displacements(path="displacements"),
        rfc5.Scale(scale=[2.0, 1.5, 1.0]),
        rfc5.Translation(translation=[0.0, 0.0, 7.0]),
    ]
    document = json.loads((tmp_path / "all.zarr" / "zarr.json").read_text())
    document["attributes"]["ome"]["coordinateTransformations"] = [
        {
            "type": "sequence",
            "transformations": [
                {k: v for k, v in step.to_dict().items() if v is not None} for step in steps
            ],
        }
    ]
    document.pop("consolidated_metadata", None)
    (tmp_path / "all.zarr" / "zarr.json").write_text(json.dumps(document))
    points = rng.uniform(3, 25, (50, 3))
    wanted = field.apply(points) * [1.0, 1.5, 2.0] + [7.0, 0.0, 0.0]
    assert numpy.allclose(
        cudaspline.zarr.read_transform(tmp_path / "all.zarr").apply(points), wanted, atol=1e-5
    )


def test_damaged_and_missing_stores(rng, tmp_path):
    with pytest.raises(FileNotFoundError, match="^store: there is no"):
        cudaspline.zarr.read(tmp_path / "none.zarr")
    with pytest.raises(FileNotFoundError, match="^transform: there is no"):
        cudaspline.zarr.read_transform(tmp_path / "none.zarr")
    (tmp_path / "empty.zarr").mkdir()
    with pytest.raises(cudaspline.zarr.StoreError, match="empty.zarr is not an OME-Zarr image"):
        cudaspline.zarr.read(tmp_path / "empty.zarr")
    cudaspline.zarr.write(voxels(rng), tmp_path / "image.zarr", chunk=32, scales=0)
    with pytest.raises(FileExistsError, match="^output: "):
        cudaspline.zarr.write(voxels(rng), tmp_path / "image.zarr")
    chunks = sorted(
        path
        for path in (tmp_path / "image.zarr").rglob("*")
        if path.is_file() and "/c/" in str(path)
    )
    assert len(chunks) == 2 * 2 * 2
    chunks[3].write_bytes(chunks[3].read_bytes()[:40])
    with pytest.raises(cudaspline.zarr.StoreError, match="cannot be read at"):
        cudaspline.zarr.resample(
            tmp_path / "image.zarr", tmp_path / "out.zarr", order=3, device="cpu"
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.zarr", "image.zarr"]
    shutil.rmtree(tmp_path / "image.zarr" / "scale0")
    with pytest.raises(cudaspline.zarr.StoreError):
        cudaspline.zarr.read(tmp_path / "image.zarr")


def test_directions_are_refused(rng, tmp_path):
    turned = cudaspline.Image(voxels(rng), direction=[[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    with pytest.raises(ValueError, match="^image: the direction of the grid is not the identity"):
        cudaspline.zarr.write(turned, tmp_path / "image.zarr")
