"""Data about libraries: what opens, what closes, what pickles, what crosses."""
