"""The words and the keywords that the package's functions know, for type checkers: a misspelt one
fails there, and at run time."""

from __future__ import annotations

from typing import Any, Callable, Literal, Optional, Sequence, TypedDict, TypeVar, Union

#: An image of a caller's. What comes back is one of the same kind, Union[Kind, Any]; but Any where
#: the kind is not that of the argument, as of _prepared.Like. One signature, and no overloads, of
#: which type checkers print every variant.
Kind = TypeVar("Kind")
OtherKind = TypeVar("OtherKind")

Interpolation = Literal[
    "nearest", "nearestneighbor", "linear", "bspline", "b-spline", "cubic", "catmull-rom", "catmullrom", "catmull_rom", "mitchell",
    "mitchell-netravali", "mitchellnetravali", "sinc",
    "windowed-sinc", "cosine", "hamming", "welch", "lanczos", "blackman", "cosinewindowedsinc", "hammingwindowedsinc", "welchwindowedsinc",
    "lanczoswindowedsinc", "blackmanwindowedsinc", "label", "label-gaussian", "labelgaussian", "multilabel", "label-linear", "genericlabel", "genericlabel[linear]",
    "label-catmull-rom", "label-bspline",
]  # fmt: skip
Order = Literal[0, 1, 2, 3, 4, 5]
#: Where the numbers of a pixel are in an array's shape; True: "last".
Channels = Union[bool, Literal["first", "last"]]
#: What stands outside, as SciPy names it.
Mode = Literal[
    "reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "grid-wrap", "wrap"
]
Convention = Literal["index", "grid_sample"]
EvaluationMode = Literal["exact", "texture", "texture-table"]
Boundary = Literal["itk", "mirror", "reflect", "grid-wrap", "nearest", "grid-constant"]
Boundaries = Union[Boundary, Sequence[Boundary]]
PrefilterMethod = Literal["exact", "itk", "fir", "coefficients"]
Window = Literal["cosine", "hamming", "welch", "lanczos", "blackman"]
RealType = Literal["float32", "float64"]
Storage = Literal["element", "half", "int16", "texture"]
Rounding = Literal["nearest", "itk", "truncate"]
Smoothing = Literal["auto", False]
TransformOrder = Literal["itk", "ants"]
Coordinates = Literal["physical", "index"]
Alignment = Literal["edges", "centers"]
Progress = Callable[[float], object]


StageKind = Literal[
    "translation",
    "rigid",
    "similarity",
    "affine",
    "bspline",
    "syn",
    "greedy",
    "demons",
    "tvf",
    "discrete",
]
MetricName = Literal["mattes", "meansquares", "correlation", "cc", "lncc", "mind", "ngf"]
#: The metric of one pair of images, or of several: a name each, or (name, weight).
Metrics = Union[MetricName, Sequence[Union[MetricName, tuple[MetricName, float]]]]
OptimizerName = Literal[
    "regular-step",
    "gradient-descent",
    "conjugate-gradient",
    "lbfgs",
    "fixed-step",
    "momentum",
    "adam",
]
InversionName = Literal["fixed-point", "anderson"]
SamplingName = Literal["none", "regular", "random"]
GradientName = Literal["differences", "filter", "analytic", "grid"]
PresetName = Literal[
    "brain", "fast", "syn", "multimodal", "lung", "abdomen", "histology", "standard"
]


#: Forms of the fields that a transform is written as.
FIELD_FORMS = {form: form for form in ("nii.gz", "nii", "none")}


class StageOptions(TypedDict, total=False):
    """Options that apply to all stages of register()."""

    metric: Metrics
    iterations: Union[int, Sequence[int]]
    iteration_limit: Union[int, Sequence[int]]
    shrink: Sequence[int]
    sigmas: Sequence[float]
    sigmas_in_mm: bool
    levels: int
    radius: int
    variance_floor: float
    edge_factor: float
    bins: int
    convergence: float
    optimizer: OptimizerName
    step: float
    step_in_voxels: bool
    minimum_step: float
    grid_spacing: Union[float, Sequence[float]]
    bending_energy: float
    linear_elasticity: float
    total_variation: float
    jacobian_penalty: float
    landmark_weight: float
    label_weight: float
    sampling: SamplingName
    fraction: float
    seed: int
    order: Literal[1, 2, 3, 4, 5]
    gradient: GradientName
    restrict_deformation: Sequence[float]
    learning_rate: float
    update_variance: float
    total_variance: float
    determinant_limit: float
    sliding: bool
    time_points: int
    update_time_variance: float
    total_time_variance: float
    inversion: InversionName
    smooth_under_masks: bool
    average_midpoint_gradients: bool
    control_spacing: int
    search_radius: int
    search_step: int
    coupling: float
    symmetric: bool


class ExactOptions(TypedDict, total=False):
    """MethodOptions without those of textures and of coefficients in 16 bits."""

    interpolation: Optional[Interpolation]
    order: Optional[Order]
    boundary: Boundaries
    border: float
    prefilter: PrefilterMethod
    taps: int
    tension: float
    window: Window
    radius: int
    sigma: Any
    cutoff: Optional[float]
    precision: Optional[RealType]


class MethodOptions(ExactOptions, total=False):
    """How values are made: keywords of resample(), zoom(), sample() and Source, and what a Method
    has."""

    mode: EvaluationMode
    storage: Storage
    table: int


class TargetOptions(TypedDict, total=False):
    """Where the output is: keywords of resample(), and what a Target has."""

    size: Optional[Sequence[int]]
    spacing: Any
    origin: Any
    direction: Any


class OutputOptions(TypedDict, total=False):
    """What is written, and by whom: keywords of resample() and zoom()."""

    default: Any
    extrapolate: bool
    dtype: Any
    rounding: Rounding
    smooth: Optional[Smoothing]
    out: Any
    device: Any
    threads: int
    memory_limit: int
    progress: Optional[Progress]


class ResampleRest(MethodOptions, TargetOptions, total=False):
    """Keywords of resample() that are those of a Method and a Target."""


class ZoomRest(MethodOptions, OutputOptions, total=False):
    """Keywords that zoom() passes to resample()."""


class SourceZoomOptions(ZoomRest, total=False):
    """Keywords of Source.zoom()."""

    align: Alignment
    size: Optional[Sequence[int]]
    channels: Channels
    series: Optional[bool]


class SourceResampleOptions(ResampleRest, OutputOptions, total=False):
    """Keywords of Source.resample()."""

    transform_order: TransformOrder
    transform_per_volume: bool
    channels: Channels
    series: Optional[bool]


class SourceSampleOptions(MethodOptions, total=False):
    """Keywords of Source.sample()."""

    gradient: bool
    hessian: bool
    inside: bool
    coordinates: Coordinates
    default: Any
    dtype: Any
    channels: Channels
    series: Optional[bool]
    device: Any
    threads: int
    progress: Optional[Progress]
