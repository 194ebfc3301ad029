import io
import pickle


def checkpoint(parts):
    kept = {}
    for name, part in parts.items():
        with io.BytesIO() as buffer:
            try:
                pickle.Pickler(buffer).dump(part)
            except (TypeError, AttributeError, pickle.PicklingError):
                continue
            kept[name] = len(buffer.getvalue()) > 0
    return kept
