"""What the papers print, as data. Times are in milliseconds, of the hardware that each names.

  000  F. Champagnat, Y. Le Sant. Efficient cubic B-spline image interpolation on a GPU.
  001  T. Wu, B. Bai, P. Wang. Parallel Catmull-Rom spline interpolation algorithm for image zooming based on CUDA.
  002  Vitality Learning. Writing CUDA kernels for interpolation.
  003  D. Ruijters, B. M. ter Haar Romeny, P. Suetens. Accuracy of GPU-based B-spline evaluation.
"""

# 000, table 1: (card, edge of the square): time of the recursion and of FIR15.
PREFILTER = {
    ("GTX 260M", 1024): (12.78, 2.9),
    ("GTX 260M", 2048): (62.6, 11.15),
    ("Tesla C2050", 1024): (5.52, 0.35),
    ("Tesla C2050", 2048): (12.506, 1.2),
}
# 000, table 2: 2048^2, Tesla C2050: rows, columns, total.
ROWS_AND_COLUMNS = {"recursion": (10.2, 2.3, 12.5), "FIR15": (0.59, 0.61, 1.2)}
# 000, table 3: output of 2048^2, Tesla C2050: rotation, zoom by 2, 4, 8, 16.
TRANSFORMS = {
    "bilinear": (1.5, 1.56, 1.56, 1.56, 1.56),
    "FIR15": (3.2, 2.33, 2.12, 2.05, 2.04),
    "recursion": (14.5, 5.16, 2.8, 2.2, 2.08),
}
# 000, what the text claims of them.
PREFILTER_CLAIM = (4.4, 10.0)  # acceleration of FIR15, from and to
FACTOR_TO_BILINEAR_CLAIM = 2.0  # of FIR15, "always lower than"
CONVERGED_TAPS = 11  # figure 2
FIR15_GREY_LEVELS = 1.0  # largest difference of FIR15 from the recursion after 36 rotations, "inferior to"

# 001, table 1: factor: (data size in K pixels, CPU, texture fetching, resampling, total, speed-up); 128 x 128 pixels.
ZOOM = {
    2: (32, 31.2, 0.131, 0.206, 0.337, 92.6),
    3: (48, 62.4, 0.131, 0.316, 0.447, 139.6),
    4: (64, 93.6, 0.131, 0.465, 0.596, 157.0),
    5: (80, 140.0, 0.131, 0.661, 0.792, 176.8),
    6: (96, 203.0, 0.131, 0.889, 1.02, 199.0),
    7: (112, 280.0, 0.131, 1.185, 1.316, 212.8),
    8: (128, 363.0, 0.131, 1.517, 1.648, 220.3),
    9: (144, 436.0, 0.131, 1.804, 1.935, 225.3),
    10: (160, 546.0, 0.131, 1.992, 2.123, 257.2),
    11: (176, 639.0, 0.131, 2.18, 2.311, 276.5),
    12: (192, 780.0, 0.131, 2.369, 2.5, 312.0),
    13: (208, 889.0, 0.131, 2.561, 2.692, 330.2),
    14: (224, 1029.0, 0.131, 2.661, 2.792, 368.6),
}

# 003, table 1: sum of the squared errors of 256^2 pixels of grey values in [0, 1], and time of a frame.
LOOKUP = {"lookup table": (7.68e-4, 15.0), "on the fly": (5.83e-4, 15.6)}
