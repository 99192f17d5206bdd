"""Chains of transforms: what they are made of, files of them, and inverses."""
