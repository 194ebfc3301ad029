"""What the fields of a data class hold."""
import dataclasses
import types


def kind(value):
    match value:
        case str() | int():
            return repr(value)
        case types.FunctionType():
            return "function"
        case type():
            return "class"
        case _:
            return "object"


def kinds(record):
    return {field.name: kind(getattr(record, field.name)) for field in dataclasses.fields(record)}
