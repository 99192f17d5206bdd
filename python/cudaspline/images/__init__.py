"""Images: of other libraries, of files, and the package's own."""
