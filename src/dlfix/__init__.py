"""Finds what a PyTorch program sends to its worker processes, and makes it survive the trip."""

__version__ = "0.1.0"
