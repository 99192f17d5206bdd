"""What all others stand on: the library, arrays, geometry, methods, and checks of arguments."""
