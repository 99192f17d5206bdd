"""What notebooks show: images as three slices in a PNG, transforms and reports as tables."""

import base64
import re
import struct
import xml.etree.ElementTree
import zlib

import numpy
import pytest

import cudaspline
from cudaspline.core import _html


def shown(image):
    """The pixels of the picture in an image's HTML, read by the format's own rules."""
    text = image._repr_html_()
    found = re.search(r'src="data:image/png;base64,([^"]+)" width="(\d+)" height="(\d+)"', text)
    data = base64.b64decode(found.group(1))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body, (crc,) = data[at + 4 : at + 8], data[at + 8 : at + 8 + length], struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert zlib.crc32(kind + body) == crc
        chunks[kind] = body
        at += 12 + length
    width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (width, height, depth) == (int(found.group(2)), int(found.group(3)), 8) and list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    count = 3 if colour == 2 else 1
    rows = numpy.frombuffer(zlib.decompress(chunks[b"IDAT"]), "u1").reshape(height, 1 + width * count)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, count) if count > 1 else rows[:, 1:]


def well_formed(text):
    return xml.etree.ElementTree.fromstring(f"<div>{text}</div>")


def corner_image():
    """Bright where x is to the left, y in front and z above: of 20 x 30 x 10 samples of 2 x 1 x 3 mm."""
    array = numpy.zeros((10, 30, 20), "f4")
    array[3:, :18, 8:] = 1.0
    return cudaspline.Image(array, (2, 1, 3))


def test_three_slices():
    """Across z with the left side on the right and the front on top; across y and x with what is above on top."""
    picture = shown(corner_image())
    assert picture.shape == (192, 3 * 192 + 8)
    axial, coronal, sagittal = picture[24:168, :192], picture[24:168, 196:388], picture[:, 392:]
    wanted = [numpy.zeros(one.shape, "u1") for one in (axial, coronal, sagittal)]
    wanted[0][: round(144 * 0.6), round(192 * 0.4) :] = 255
    wanted[1][: round(144 * 0.7), round(192 * 0.4) :] = 255
    wanted[2][: round(192 * 0.7), : round(192 * 0.6)] = 255
    for found, other in zip((axial, coronal, sagittal), wanted):
        assert (found != other).mean() < 0.01  # a row or a column of a sample's edge


@pytest.mark.parametrize("flips", [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, -1)])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 0, 2)])
def test_directions_are_seen_through(flips, order):
    """The same head in another order of axes, with others the other way, is the same picture."""
    image = corner_image()
    array = image.array.transpose(2, 1, 0)[tuple(slice(None, None, flip) for flip in flips)].transpose(order)
    direction = numpy.diag(flips).astype(float)[:, list(order)]
    other = cudaspline.Image(numpy.ascontiguousarray(array.T), image.spacing[list(order)], direction=direction)
    one, same = shown(image), shown(other)
    assert one.shape == same.shape and (one != same).mean() < 0.03  # the middle of an even number is on either side


def test_kinds_of_images(rng):
    flat = shown(cudaspline.Image(numpy.add.outer(numpy.arange(40.0), numpy.zeros(80)), (1, 2)))
    assert flat.shape == (192, 192) and (numpy.diff(flat[:, 5].astype(int)) >= 0).all() and flat[0, 0] == 0 and flat[-1, 0] == 255
    colours = numpy.zeros((8, 8, 3), "u1")
    colours[..., 1] = 77
    assert (shown(cudaspline.Image(colours, channels="last")) == [0, 77, 0]).all()
    assert (shown(cudaspline.Image(numpy.moveaxis(colours, -1, 0), channels="first")) == [0, 77, 0]).all()
    for array, options in (
        (rng.uniform(size=(4, 5, 6, 7)), {}), (rng.uniform(size=(5, 6, 7)) < 0.5, {}), (rng.uniform(size=(5, 6, 7)).astype("f2"), {}),
        (rng.uniform(size=(5, 6, 7, 3)), {"channels": "last"}), (numpy.full((5, 6, 7), numpy.nan), {}), (numpy.full((5, 6), 3), {}),
        (numpy.where(rng.uniform(size=(9, 9, 9)) < 0.1, numpy.inf, 1.0), {}),
    ):  # fmt: skip
        image = cudaspline.Image(array, **options)
        assert shown(image).size and well_formed(image._repr_html_()) is not None
    assert "<img" not in cudaspline.Image(numpy.zeros(5))._repr_html_()
    assert len(cudaspline.Image(rng.uniform(size=(300, 300, 300)).astype("f4"))._repr_html_()) < 1.02 * (3 * 192 + 9) * 192 * 4 / 3 + 1000
    sparse = numpy.zeros((9, 9), "u1")
    sparse[4, 4] = 7  # fewer than a hundredth
    assert shown(cudaspline.Image(sparse)).max() == 255


def test_tables(rng):
    turn = cudaspline.Transform([[0.0, -1.0, 3.5], [1.0, 0.0, 0.0]], 2)
    bend = cudaspline.Transform(cudaspline.DisplacementField(numpy.zeros((4, 5, 2))), 2)
    cells = ["".join(cell.itertext()) for cell in well_formed((turn @ bend)._repr_html_()).iter("td")]
    assert cells[1] == "DisplacementField" and cells[2] == "" and cells[4] == "list"
    assert [line.split() for line in cells[5].splitlines()] == [["0", "-1", "3.5"], ["1", "0", "0"], ["0", "0", "1"]]
    y, x = numpy.mgrid[:24, :32]
    fixed, moving = (cudaspline.Image(numpy.exp(-((x - 15 - shift) ** 2 + (y - 12) ** 2) / 40.0), (1, 2)) for shift in (0, 1))
    found = cudaspline.register(fixed, moving, ["rigid", "affine"], iterations=(3, 2), shrink=(2, 1), device="cpu")
    tree = well_formed(found.report._repr_html_())
    assert len(list(tree.iter("tr"))) == 5 and [cell.text for cell in tree.iter("td")][1] == "rigid" and tree.find("table").tail.endswith(" s")
    whole = well_formed(found._repr_html_())
    assert len(list(whole.iter("img"))) == 1 and len(list(whole.iter("table"))) == 2
    cudaspline.zoom(fixed, 2, device="cpu")
    assert "Cpu, host" in [cell.text for cell in well_formed(cudaspline.last_report()._repr_html_()).iter("td")]
    escaped = _html.table(["<a>"], [["&"]])
    assert "&lt;a&gt;" in escaped and "&amp;" in escaped
