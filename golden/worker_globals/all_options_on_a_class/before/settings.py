class Config:
    size = 4
    offset = 0
    root = "data"
