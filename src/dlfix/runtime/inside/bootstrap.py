"""The program for `python -c` that makes these modules in an interpreter that has no dlfix."""

import base64
import json
import zlib

TOO_OLD = 88  # the exit status of an interpreter that cannot run this
PACKAGE = "_dlfix_inside"
MODULES = (  # each after those that it imports
    "places",
    "pickling",
    "objects",
    "culprits",
    "contents",
    "batches",
    "report",
    "bootstrap",
    "worker",
    "child",
    "probe",
    "boundaries",
    "watch",
    "fetching",
    "program",
)
SOURCES = {}  # the texts of these modules, where they were made by the program below


def program(sources: "dict[str, str]") -> str:
    """Return a program that makes the modules from their texts, and runs what a JSON file asks for."""
    text = json.dumps([[name, sources[name]] for name in MODULES])
    packed = base64.b85encode(zlib.compress(text.encode(), 9)).decode()
    return (
        "import sys\n"
        f"if sys.version_info<(3,8): sys.exit({TOO_OLD})\n"
        "if sys.path[:1]==['']: del sys.path[0]\n"  # as `python script.py` does
        "import base64,json,types,zlib\n"
        f"texts=dict(json.loads(zlib.decompress(base64.b85decode('{packed}'))))\n"
        f"p=types.ModuleType('{PACKAGE}');p.__path__=[];sys.modules[p.__name__]=p\n"
        "for name,text in texts.items():\n"
        f"    m=types.ModuleType('{PACKAGE}.'+name);m.__package__='{PACKAGE}'\n"
        "    sys.modules[m.__name__]=m;setattr(p,name,m)\n"
        "    exec(compile(text,'<dlfix '+name+'>','exec'),m.__dict__)\n"
        "p.bootstrap.SOURCES.update(texts)\n"
        "p.program.main(sys.argv[1])\n"
    )
