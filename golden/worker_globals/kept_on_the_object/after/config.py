cfg = {"scale": 1, "labels": {}}
