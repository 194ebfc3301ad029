from registry import augmentation


@augmentation("flip")
def flip(image):
    return image.flip(1)


@augmentation("roll")
def roll(image, by=1):
    return image.roll(by, 0)
