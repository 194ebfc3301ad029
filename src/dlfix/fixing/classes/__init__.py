"""Classes whose instances cross: facts of one class, and the plans that change it."""
