"""What gradients of PyTorch and JAX stand on."""
