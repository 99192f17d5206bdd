"""Gradients: the code that cudaspline.torch and cudaspline.jax share."""
