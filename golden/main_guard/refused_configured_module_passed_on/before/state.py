scale = 1
