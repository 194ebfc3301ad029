"""What really happens: the probe, which runs a program, and the reading of tracebacks."""
