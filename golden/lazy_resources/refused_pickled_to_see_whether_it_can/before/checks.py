import pickle


def can_be_sent(value):
    try:
        pickle.dumps(value)
    except Exception:
        return False
    return True
