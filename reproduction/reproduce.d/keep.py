"""What of a run is kept, carried to another machine, and committed."""

import fnmatch
import os
import pathlib
import shutil
import tarfile

# Pictures that figures are made of. Of a list the first whose pictures are there: the papers' kind of image, else a phantom.
PHOTOGRAPHS = ("camera", "brain", "shepp-logan")
PICTURES = [
    ["rotations-2d-{photograph}-*"],
    ["zoom-{photograph}-4-*"], ["zoom-zone-plate-4-*"],
    ["tutorial-{photograph}-*-nearest.pfm", "tutorial-{photograph}-figures 18 to 24-*"],
    ["tutorial-zone-plate-figures 18 to 24-*"],
    ["address-*"],
    ["deformation-*-field-cubic.pfm", "deformation-*-field-cubic-double.pfm", "deformation-*-field-cubic-texture.pfm"],
    ["peer-values-*"], ["run.json"],
]  # fmt: skip
RAW = 14_000_000  # bytes of pictures in an archive


def needed(folder):
    """The files of a folder of pictures that figures are made of."""
    names = sorted(path.name for path in pathlib.Path(folder).iterdir())
    found = []
    for patterns in PICTURES:
        for photograph in PHOTOGRAPHS if "{photograph}" in patterns[0] else ("",):
            some = [name for pattern in patterns for name in fnmatch.filter(names, pattern.format(photograph=photograph))]
            found += [name for name in some if name not in found]
            if some:
                break
    return found


def pack_results(output, folder):
    """The JSON of a run as one archive."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with tarfile.open(pathlib.Path(folder) / "results.tar.gz", "w:gz") as archive:
        for path in sorted(pathlib.Path(output).glob("*.json")):
            archive.add(path, path.name)


def pack_pictures(output, folder):
    """Pictures that figures are made of, in archives of RAW bytes before they are compressed."""
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    archive, size, count = None, 0, 0
    for name in needed(pathlib.Path(output) / "pictures"):
        path = pathlib.Path(output) / "pictures" / name
        if archive is None or size + path.stat().st_size > RAW:
            if archive:
                archive.close()
            count += 1
            archive, size = tarfile.open(pathlib.Path(folder) / f"pictures-{count}.tar.gz", "w:gz", compresslevel=4), 0
        archive.add(path, f"pictures/{name}")
        size += path.stat().st_size
    if archive:
        archive.close()


def unpack(folder, output):
    """Archives of a run into the folder that it would have written; returns its files of results and its pictures."""
    for path in sorted(pathlib.Path(folder).glob("*.tar.gz")):
        with tarfile.open(path) as archive:
            for member in archive.getmembers():
                name = pathlib.PurePosixPath(member.name)
                if not member.isfile() or name.is_absolute() or ".." in name.parts:
                    raise ValueError(f"{path} is not an archive of a run: {member.name}")
                target = pathlib.Path(output) / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.extractfile(member) as source, open(target, "wb") as copy:
                    shutil.copyfileobj(source, copy)
    return files_of(output), str(pathlib.Path(output) / "pictures")


def fill(output, name, root):
    """What a run did not measure stays what was published before: no other library there, or no profiler."""
    for part in ("peers", "roofline"):
        old = pathlib.Path(root) / "reproduction" / "results" / f"{name}-{part}.json"
        if old.is_file() and not (pathlib.Path(output) / f"{part}.json").is_file():
            shutil.copyfile(old, pathlib.Path(output) / f"{part}.json")


def published(root, name):
    """The results that publish() left, in the order of files_of()."""
    folder = pathlib.Path(root) / "reproduction" / "results"
    return [folder / f"{name}.json", *sorted(path for path in folder.glob(f"{name}-*.json") if not path.name.endswith("-pictures.json"))]


def files_of(output):
    """The results of a run, in the order in which they are read: what CudaSplineReproduction found is the first."""
    paths = (pathlib.Path(output) / name for name in ("results.json", "peers.json", "roofline.json"))
    return [path for path in paths if path.is_file()]


def publish(output, pictures, name, root):
    """Copies results, pages and figures into the folder of this script."""
    output, folder = pathlib.Path(output), pathlib.Path(root) / "reproduction"
    (folder / "results").mkdir(parents=True, exist_ok=True)
    (folder / "images" / "papers").mkdir(parents=True, exist_ok=True)
    copies = {"results.json": f"{name}.json", "peers.json": f"{name}-peers.json", "roofline.json": f"{name}-roofline.json"}
    copies.update({os.path.join(pictures or "", "run.json"): f"{name}-pictures.json", "Results.md": "Results.md"})
    if (output / "results.json").is_file():  # otherwise only pages and figures are made again, from the published results
        for old in (folder / "results").glob(f"{name}-*.json"):
            if old.name not in copies.values():
                old.unlink()
    for source, target in copies.items():
        if (output / source).is_file():
            shutil.copyfile(output / source, folder / "results" / target)
    shutil.copyfile(output / "PaperSlips.md", folder / "PaperSlips.md")
    for figure in sorted((output / "figures").iterdir()):
        # Curves have both kinds; one is enough.
        if figure.suffix == ".svg" or not figure.with_suffix(".svg").is_file():
            shutil.copyfile(figure, folder / "images" / "papers" / figure.name)
