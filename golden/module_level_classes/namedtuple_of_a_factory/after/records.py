from collections import namedtuple


def make_record(name, spec, defaults=()):
    record = namedtuple(name, spec.split(), defaults=defaults)
    record.width = len(spec)
    return record
