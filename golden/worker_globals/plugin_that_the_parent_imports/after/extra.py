from registry import register


@register("doubled")
def doubled(value):
    return 2.0 * value
