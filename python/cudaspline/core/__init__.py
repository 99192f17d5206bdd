"""Common code: the library, arrays, geometry, methods, and checks of arguments."""
