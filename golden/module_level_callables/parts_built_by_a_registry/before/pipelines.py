from registry import PIPELINES, build_from_cfg


class Compose:
    def __init__(self, transforms):
        self.transforms = []
        for transform in transforms:
            if isinstance(transform, dict):
                transform = build_from_cfg(transform, PIPELINES)
            self.transforms.append(transform)

    def __call__(self, sample):
        for transform in self.transforms:
            sample = transform(sample)
        return sample


@PIPELINES.register
class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, sample):
        return sample * self.factor


@PIPELINES.register
class Shift:
    def __init__(self, by):
        self.move = lambda sample: sample + by

    def __call__(self, sample):
        return self.move(sample)
