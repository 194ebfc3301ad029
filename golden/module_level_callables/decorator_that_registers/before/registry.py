AUGMENTATIONS = {}


def augmentation(name):
    """Registers a function as an augmentation of tensors."""

    def decorate(function):
        def checked(image, *args):
            if image.ndim != 2:
                raise ValueError(f"{name}: a matrix is needed")
            return function(image.float(), *args)

        AUGMENTATIONS[name] = checked
        return checked

    return decorate
