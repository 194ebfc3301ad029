ROOT = "."
SCALE = 1
