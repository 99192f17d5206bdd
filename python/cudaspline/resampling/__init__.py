"""Images on other grids and at points."""
