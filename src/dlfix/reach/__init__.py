"""Values, and how they come to a boundary."""
