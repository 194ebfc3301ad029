class Counted(type):
    def __new__(mcls, name, bases, namespace):
        made = super().__new__(mcls, name, bases, namespace)
        made.hooks = [key for key, value in namespace.items() if callable(value)]
        return made
