"""Figures as files that may be kept in a repository."""

LARGEST = 200_000  # bytes of a figure


def make_smaller(path, bits):
    """A PNG that has no colours becomes a grey one, a third of the bytes; of others each channel keeps that many bits, so that a scale of colours stays one."""
    import numpy
    from PIL import Image  # matplotlib needs it itself

    with Image.open(path) as image:
        pixels = numpy.asarray(image.convert("RGB"))
    if (pixels == pixels[..., :1]).all():
        pixels = pixels[..., 0]
    else:
        pixels = pixels >> (8 - bits) << (8 - bits) | pixels >> bits
    Image.fromarray(pixels).save(path, optimize=True)


def save(figure, path):
    """Saves a figure of matplotlib as PNG or SVG, by the path's ending, coarser until it is small."""
    kind = path.suffix[1:]
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    for dots, bits in ((100, 8), (100, 6), (80, 6), (64, 6), (64, 5)):  # the same figure, coarser, until it is small
        figure.savefig(path, dpi=dots, metadata=metadata)
        if kind == "png":
            make_smaller(path, bits)
        if path.stat().st_size <= LARGEST:
            break
