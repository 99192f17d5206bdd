"""A phantom of an abdomen in two breaths: organs move by up to 40 mm, each in a direction of its own, and the ground truth is known.

Everything is a formula, with random numbers of the seeds below, so that images of any spacing show the same. Points are in mm, LPS, from the centre
of the body.

* The body is a superellipsoid of 300 x 210 mm with a wall of 12 mm fat and 10 mm muscle, a spine, and organs of ORGANS: ellipsoids, the later ones above
  the earlier ones, between them fat. The liver has a border with lobes (a smooth function of the direction). Values are in HU, with contrast agent.
* Tissue has texture: vessels are where two smooth random functions are both near 0, which gives branching tubes of some 4 mm; bowel has gas where a
  function is large, and parenchyma varies by 6 HU. A random function is the sum of WAVES cosines whose wave vectors are Gaussian.
* The truth is the flow for the time 1 of v(x) = SHELL(x) (sum over organs of m exp(-q / 2) + 3 mm f(x)), with m the motion in ORGANS, q the squared
  distance from the organ's centre in units of its radii enlarged by 25 %, and f smooth random functions of 40 mm. SHELL rises smoothly from 0 at the body's wall to 1,
  30 mm inside of it, and from 0 at the upper and lower end of the images to 1 within 40 mm. The sum is scaled so that the longest displacement is 40 mm. The inverse of the flow is that of -v.
* The moving image is the phantom at the inverse of the ground truth; both images have Gaussian noise of 12 HU, of their own.
"""

import numpy

import cudaspline

LONGEST, NOISE, SEED, WAVES = 40.0, 12.0, 54, 16
FLOW = 4.0  # mm: spacing of the field. Between samples it is off by some 4^2 / 8 * 40 / 40^2 = 0.05 mm
SCALE = 0.567  # of the velocity: the longest displacement is LONGEST then
STEPS = 6  # of the flow, by Runge and Kutta's method of the fourth order
BODY = numpy.array([150.0, 105.0, 180.0])
FIELD = numpy.array([320.0, 224.0, 256.0])  # mm: of the images
#: name: (centre, radii, value, value of vessels, motion): mm, LPS (x to the left, y to the back, z up), HU
ORGANS = {
    "bowel": ((10, -25, -60), (95, 55, 60), 40, None, (12, -8, -10)),
    "colon": ((-85, -15, -55), (24, 26, 60), 30, None, (10, 6, 14)),
    "descending colon": ((98, 0, -45), (20, 24, 62), 30, None, (-8, -4, 16)),
    "right kidney": ((-62, 45, -25), (28, 26, 52), 160, 220, (4, -6, -24)),
    "left kidney": ((62, 45, -10), (28, 26, 52), 160, 220, (-4, -4, -18)),
    "spleen": ((98, 30, 45), (32, 42, 52), 125, 170, (-10, -6, -28)),
    "stomach": ((50, -25, 55), (52, 40, 45), 20, None, (-14, 10, -26)),
    "pancreas": ((8, 5, 0), (58, 16, 18), 100, 150, (3, -3, -14)),
    "liver": ((-62, -5, 50), (76, 76, 66), 110, 175, (6, -8, -38)),
    "gall bladder": ((-38, -48, 5), (16, 18, 24), 10, None, (8, -4, -30)),
    "aorta": ((12, 30, 0), (11, 11, 400), 210, None, (0, 0, 0)),
    "vena cava": ((-16, 30, 0), (13, 11, 400), 150, None, (0, 0, -4)),
}
HOLLOW = ("bowel", "colon", "descending colon", "stomach")
SPINE = ((0, 62, 0), (26, 24, 400), 350)


class RandomFunction:
    """A smooth random function of points, of mean 0 and variance 1."""

    def __init__(self, random, scale):
        self.waves = random.standard_normal((WAVES, 3)) / scale
        self.phases = random.uniform(0, 2 * numpy.pi, WAVES)

    def __call__(self, points):
        value = numpy.zeros(len(points))
        for wave, phase in zip(self.waves, self.phases):
            value += numpy.cos(points @ wave + phase)
        return value * numpy.sqrt(2 / WAVES)


def squared(points, centre, radii):
    """Squared distances from a centre, in units of radii."""
    return (((points - numpy.array(centre)) / numpy.array(radii)) ** 2).sum(axis=1)


def depth(points):
    """About how far points are inside of the body, mm. The body is a cylinder; its ends are out of the images."""
    radius = (numpy.abs(points[:, :2] / BODY[:2]) ** 2.5).sum(axis=1) ** (1 / 2.5)
    return (1 - radius) * BODY[1]


class Phantom:
    """Values (HU) at points."""

    def __init__(self):
        random = numpy.random.default_rng(SEED)
        self.vessels = [RandomFunction(random, 18.0) for _ in range(2)]
        self.loops, self.texture, self.lobes = RandomFunction(random, 9.0), RandomFunction(random, 5.0), RandomFunction(random, 25.0)

    def contains(self, name, points):
        """Which points are in an organ."""
        centre, radii, *_ = ORGANS[name]
        uneven = 1 + 0.12 * self.lobes(points) if name in ("liver", "bowel") else 1.0
        return squared(points, centre, radii) * uneven < 1

    def tissue(self, name, points):
        """Values of points in an organ."""
        _, _, value, vessel, _ = ORGANS[name]
        values = value + 6 * self.texture(points)
        if vessel is not None:
            values[sum(function(points) ** 2 for function in self.vessels) < 0.05] = vessel
        if name in HOLLOW:
            loops = self.loops(points)
            values[loops > 1.2] = -800
            values[numpy.abs(loops) < 0.25] = 70
        return values

    def __call__(self, points):
        inward = depth(points)
        values = numpy.where(inward < 0, -1000.0, -100.0 + 6 * self.texture(points))
        values[(inward > 12) & (inward < 22)] = 60
        for name in ORGANS:
            inside = (inward > 22) & self.contains(name, points)
            values[inside] = self.tissue(name, points[inside])
        centre, radii, value = SPINE
        values[squared(points, centre, radii) < 1] = value
        return values

    def labels(self, points):
        """Numbers of the organs, from 1 in the order of ORGANS."""
        numbers, inward = numpy.zeros(len(points), numpy.uint8), depth(points)
        for number, name in enumerate(ORGANS, 1):
            numbers[(inward > 22) & self.contains(name, points)] = number
        numbers[squared(points, *SPINE[:2]) < 1] = 0
        return numbers


class Motion:
    """The velocity of the flow, mm in its unit of time."""

    def __init__(self):
        random = numpy.random.default_rng(SEED + 1)
        self.wander = [RandomFunction(random, 40.0) for _ in range(3)]

    def velocity(self, points):
        shell = smooth_step(depth(points) / 30) * smooth_step((0.5 * FIELD[2] - numpy.abs(points[:, 2])) / 40)
        found = numpy.stack([3 * function(points) for function in self.wander], axis=1)
        for centre, radii, _, _, motion in ORGANS.values():
            distance = squared(points, centre, 1.25 * numpy.array(radii))
            found += numpy.exp(-0.5 * distance)[:, None] * numpy.array(motion)
        return SCALE * shell[:, None] * found

    def flow(self, points, sign):
        """Where points are after the time 1, or before it. Outside of the body nothing moves."""
        moved, inside, h = points.copy(), depth(points) > 0, sign / STEPS
        x = points[inside]
        for _ in range(STEPS):
            k1 = self.velocity(x)
            k2 = self.velocity(x + 0.5 * h * k1)
            k3 = self.velocity(x + 0.5 * h * k2)
            k4 = self.velocity(x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        moved[inside] = x
        return moved


def smooth_step(x):
    x = numpy.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


def empty(spacing):
    """An image of that spacing, of zeros, with the body's centre in its middle."""
    size = numpy.round(FIELD / spacing).astype(int)
    return cudaspline.Image(numpy.zeros(size[::-1], numpy.float32), (spacing,) * 3, -0.5 * spacing * (size - 1))


def fields(grid):
    """Displacements of the ground truth and of its inverse at points of a grid, mm."""
    motion, points = Motion(), numpy.indices(grid.shape).reshape(3, -1).T[:, ::-1] @ grid.index_to_point.T + grid.origin
    return [(motion.flow(points, sign) - points).reshape(*grid.shape, 3) for sign in (1.0, -1.0)]


def make(spacing, folders):
    import measures
    import pairs

    fixed, phantom = empty(spacing), Phantom()
    grid = empty(FLOW).geometry
    forward, backward = (cudaspline.Transform([pairs.displacement(grid, field)], 3) for field in fields(grid))
    points = measures.places(fixed, numpy.ones(fixed.shape, bool))
    random = numpy.random.default_rng(SEED + 2)
    made = []
    for where in (points, backward.apply(points)):
        noise = random.normal(0.0, NOISE, fixed.shape)
        values = phantom(where).reshape(fixed.shape) + noise
        made.append((pairs.like(fixed, values.astype(numpy.float32)), depth(where).reshape(fixed.shape) > 0, phantom.labels(where).reshape(fixed.shape)))
    (fixed, mask, labels), (moving, moving_mask, moving_labels) = made
    title = "A phantom of an abdomen, organs moved by up to 40 mm"
    known = {"truth": forward, "truth_grid": grid, "region": labels > 0}
    return pairs.Pair("abdomen", title, fixed, moving, mask, moving_mask, labels, pairs.like(moving, moving_labels), **known)
