"""How to build what the catalogue's rows speak of: a row's name, and expressions that make one.

They are evaluated in a directory that `make_samples` has filled. The quick run takes the libraries in
`QUICK`; `--full-catalog` takes all that are installed.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import sqlite3
import tarfile
import wave
import zipfile
from pathlib import Path

QUICK = {"stdlib", "torch", "numpy", "h5py", "lmdb"}

RESOURCES: dict[str, list[str]] = {
    "open": [
        "open('x.bin', 'rb')",
        "open('x.txt')",
        "open('y.bin', 'wb')",
        "open('y.txt', 'w')",
        "open('y.bin', 'r+b')",
    ],
    "pathlib.Path.open": ["pathlib.Path('x.txt').open('rb')"],
    "gzip.open": ["gzip.open('x.gz')"],
    "bz2.open": ["bz2.open('x.bz2')"],
    "lzma.open": ["lzma.open('x.xz')"],
    "os.open": ["os.open('x.bin', os.O_RDONLY)"],
    "os.fdopen": ["os.fdopen(os.open('x.bin', os.O_RDONLY), 'rb')"],
    "mmap.mmap": ["mmap.mmap(os.open('x.bin', os.O_RDWR), 0)"],
    "tempfile.NamedTemporaryFile": ["tempfile.NamedTemporaryFile()"],
    "tempfile.TemporaryFile": ["tempfile.TemporaryFile()"],
    "zipfile.ZipFile": ["zipfile.ZipFile('x.zip')"],
    "tarfile.open": ["tarfile.open('x.tar')"],
    "sqlite3.connect": ["sqlite3.connect('x.db')", "sqlite3.connect(':memory:')"],
    "ssl.create_default_context": ["ssl.create_default_context()"],
    "threading.Lock": ["threading.Lock()"],
    "threading.RLock": ["threading.RLock()"],
    "threading.Condition": ["threading.Condition()"],
    "threading.Event": ["threading.Event()"],
    "threading.Semaphore": ["threading.Semaphore()"],
    "threading.BoundedSemaphore": ["threading.BoundedSemaphore()"],
    "threading.Barrier": ["threading.Barrier(1)"],
    "threading.local": ["threading.local()"],
    "threading.Thread": ["threading.Thread()"],
    "threading.Timer": ["threading.Timer(1, print)"],
    "queue.Queue": ["queue.Queue()"],
    "queue.SimpleQueue": ["queue.SimpleQueue()"],
    "concurrent.futures.ThreadPoolExecutor": ["concurrent.futures.ThreadPoolExecutor(1)"],
    "concurrent.futures.ProcessPoolExecutor": ["concurrent.futures.ProcessPoolExecutor(1)"],
    "concurrent.futures.Future": ["concurrent.futures.Future()"],
    "multiprocessing.Lock": ["multiprocessing.Lock()"],
    "functools.lru_cache": ["functools.lru_cache(maxsize=8)(pathlib.PurePath('x').joinpath)"],
    "multiprocessing.pool.ThreadPool": ["multiprocessing.pool.ThreadPool(1)"],
    "pathlib.Path.glob": ["pathlib.Path('.').glob('*')"],
    "select.epoll": ["select.epoll()"],
    "sched.scheduler": ["sched.scheduler()"],
    "ctypes.pointer": ["ctypes.pointer(ctypes.c_int(1))"],
    "xml.etree.ElementTree.iterparse": ["xml.etree.ElementTree.iterparse('x.txt')"],
    "secrets.SystemRandom": ["secrets.SystemRandom()"],
    "io.StringIO": ["io.StringIO()"],
    "tempfile.SpooledTemporaryFile": ["tempfile.SpooledTemporaryFile()"],
    "configparser.ConfigParser": ["configparser.ConfigParser()"],
    "joblib.Parallel": ["joblib.Parallel(n_jobs=2)"],
    "sqlalchemy.create_engine": ["sqlalchemy.create_engine('sqlite://')"],
    "sqlalchemy.orm.sessionmaker": [
        "sqlalchemy.orm.sessionmaker(sqlalchemy.create_engine('sqlite://'))"
    ],
    "sqlalchemy.orm.Session": ["sqlalchemy.orm.Session(sqlalchemy.create_engine('sqlite://'))"],
    "lxml.etree.Element": ["lxml.etree.Element('x')"],
    "lxml.objectify.fromstring": ["lxml.objectify.fromstring('<x/>')"],
    "zstandard.ZstdDecompressor": ["zstandard.ZstdDecompressor()"],
    "msgpack.Unpacker": ["msgpack.Unpacker()"],
    "msgpack.Packer": ["msgpack.Packer()"],
    "diskcache.Cache": ["diskcache.Cache('cache')"],
    "diskcache.FanoutCache": ["diskcache.FanoutCache('fanout')"],
    "scipy.sparse.linalg.splu": ["scipy.sparse.linalg.splu(scipy.sparse.csc_matrix([[1.0]]))"],
    "scipy.spatial.cKDTree": ["scipy.spatial.cKDTree([[0.0, 1.0]])"],
    "scipy.interpolate.CubicSpline": ["scipy.interpolate.CubicSpline([0, 1, 2], [0, 1, 2])"],
    "tables.open_file": ["tables.open_file('x.h5')"],
    "pandas.HDFStore": ["pandas.HDFStore('x.h5', 'r')"],
    "PIL.ImageDraw.Draw": ["PIL.ImageDraw.Draw(PIL.Image.new('L', (1, 1)))"],
    "PIL.ImageCms.createProfile": ["PIL.ImageCms.createProfile('sRGB')"],
    "rdkit.Chem.rdFingerprintGenerator.GetMorganGenerator": [
        "rdkit.Chem.rdFingerprintGenerator.GetMorganGenerator()"
    ],
    "rdkit.Chem.ChemicalFeatures.BuildFeatureFactory": [
        "rdkit.Chem.ChemicalFeatures.BuildFeatureFactory("
        "os.path.join(rdkit.RDConfig.RDDataDir, 'BaseFeatures.fdef'))"
    ],
    "multiprocessing.RLock": ["multiprocessing.RLock()"],
    "multiprocessing.Event": ["multiprocessing.Event()"],
    "multiprocessing.Semaphore": ["multiprocessing.Semaphore()"],
    "multiprocessing.Condition": ["multiprocessing.Condition()"],
    "multiprocessing.Queue": ["multiprocessing.Queue()"],
    "multiprocessing.SimpleQueue": ["multiprocessing.SimpleQueue()"],
    "multiprocessing.Value": ["multiprocessing.Value('i', 0)"],
    "multiprocessing.Array": ["multiprocessing.Array('i', 2)"],
    "multiprocessing.Pipe": ["multiprocessing.Pipe()"],
    "asyncio.new_event_loop": ["asyncio.new_event_loop()"],
    "asyncio.Lock": ["asyncio.Lock()"],
    "selectors.DefaultSelector": ["selectors.DefaultSelector()"],
    "logging.getLogger": ["logging.getLogger('x')"],
    "logging.Logger": ["logging.Logger('x')"],
    "logging.FileHandler": ["logging.FileHandler('y.log')"],
    "logging.StreamHandler": ["logging.StreamHandler()"],
    "weakref.ref": ["weakref.ref(pathlib.Path)"],
    "weakref.WeakValueDictionary": ["weakref.WeakValueDictionary()"],
    "weakref.WeakKeyDictionary": ["weakref.WeakKeyDictionary({pathlib.Path: 1})"],
    "weakref.WeakSet": ["weakref.WeakSet({pathlib.Path})"],
    "contextvars.ContextVar": ["contextvars.ContextVar('x')"],
    "contextvars.copy_context": ["contextvars.copy_context()"],
    "contextlib.ExitStack": ["contextlib.ExitStack()"],
    "csv.reader": ["csv.reader(open('x.txt'))"],
    "csv.DictReader": ["csv.DictReader(open('x.txt'))"],
    "csv.writer": ["csv.writer(open('y.txt', 'w'))"],
    "os.scandir": ["os.scandir('.')"],
    "sys._getframe": ["sys._getframe()"],
    "compile": ["compile('1', 'x', 'eval')"],
    "importlib.import_module": ["importlib.import_module('math')"],
    "fsspec.filesystem": ["fsspec.filesystem('file')"],
    "pandas.read_json": ["pandas.read_json('x.json', lines=True, chunksize=1)"],
    "multiprocessing.RawArray": ["multiprocessing.RawArray('i', 1)"],
    "torch.finfo": ["torch.finfo(torch.float32)"],
    "memoryview": ["memoryview(b'x')"],
    "dict.keys": ["dict.keys({})"],
    "dict.values": ["dict.values({})"],
    "dict.items": ["dict.items({})"],
    "collections.OrderedDict.keys": ["collections.OrderedDict().keys()"],
    "io.FileIO": ["io.FileIO('x.bin')"],
    "io.BufferedReader": ["io.BufferedReader(io.FileIO('x.bin'))"],
    "io.TextIOWrapper": ["io.TextIOWrapper(io.FileIO('x.bin'))"],
    "os.walk": ["os.walk('.')"],
    "glob.iglob": ["glob.iglob('*')"],
    "types.MappingProxyType": ["types.MappingProxyType({})"],
    "struct.Struct": ["struct.Struct('<i')"],
    "hashlib.sha256": ["hashlib.sha256()"],
    "hashlib.blake2b": ["hashlib.blake2b()"],
    "hmac.new": ["hmac.new(b'k', digestmod='md5')"],
    "zlib.decompressobj": ["zlib.decompressobj()"],
    "bz2.BZ2Decompressor": ["bz2.BZ2Decompressor()"],
    "lzma.LZMADecompressor": ["lzma.LZMADecompressor()"],
    "random.Random": ["random.Random(0)"],
    "random.SystemRandom": ["random.SystemRandom()"],
    "ctypes.CDLL": ["ctypes.CDLL(None)"],
    "json.JSONDecoder": ["json.JSONDecoder()"],
    "json.JSONEncoder": ["json.JSONEncoder()"],
    "pickle.Unpickler": ["pickle.Unpickler(open('x.bin', 'rb'))"],
    "xml.parsers.expat.ParserCreate": ["xml.parsers.expat.ParserCreate()"],
    "re.compile": ["re.compile('x')"],
    "re.match": ["re.match('x', 'x')", "re.search('x', 'x')", "re.fullmatch('x', 'x')"],
    "argparse.ArgumentParser": ["argparse.ArgumentParser()"],
    "functools.cmp_to_key": ["functools.cmp_to_key(max)(1)"],
    "io.BytesIO": ["io.BytesIO(b'x')"],
    "itertools.repeat": ["itertools.repeat(1)"],
    "subprocess.Popen": ["subprocess.Popen(['true'])"],
    "array.array": ["array.array('i', [1])"],
    "numpy.load": [
        "numpy.load('x.npy')",
        "numpy.load('x.npz')",
        "numpy.load('x.npy', mmap_mode='r')",
        "numpy.load('x.npy', 'r')",
    ],
    "numpy.memmap": ["numpy.memmap('x.bin', 'u1', 'r')"],
    "numpy.lib.format.open_memmap": ["numpy.lib.format.open_memmap('x.npy', 'r')"],
    "numpy.random.default_rng": ["numpy.random.default_rng(0)"],
    "numpy.random.RandomState": ["numpy.random.RandomState(0)"],
    "numpy.random.SeedSequence": ["numpy.random.SeedSequence(0)"],
    "numpy.frompyfunc": ["numpy.frompyfunc(abs, 1, 1)"],
    "numpy.nditer": ["numpy.nditer([1, 2])"],
    "numpy.poly1d": ["numpy.poly1d([1])"],
    "h5py.File": ["h5py.File('x.h5')", "h5py.File('x.h5', 'r')", "h5py.File('y.h5', 'w')"],
    "lmdb.open": ["lmdb.open('x.lmdb', readonly=True, lock=False)", "lmdb.open('y.lmdb')"],
    "torch.utils.data.DataLoader": ["torch.utils.data.DataLoader([1])"],
    "torch.Generator": ["torch.Generator()"],
    "torch.jit.script": ["torch.jit.script(torch.nn.Sequential(torch.nn.ReLU()))"],
    "torch.jit.freeze": [
        "torch.jit.freeze(torch.jit.script(torch.nn.Sequential(torch.nn.ReLU()).eval()))"
    ],
    "torch.jit.trace": ["torch.jit.trace(torch.nn.ReLU(), torch.zeros(1))"],
    "torch.futures.Future": ["torch.futures.Future()"],
    "torch.vmap": ["torch.vmap(torch.sin)"],
    "torch.autocast": ["torch.autocast('cpu')"],
    "torch.optim.SGD": ["torch.optim.SGD([torch.zeros(1, requires_grad=True)])"],
    "netCDF4.Dataset": ["netCDF4.Dataset('x.nc')"],
    "cv2.VideoCapture": ["cv2.VideoCapture('x.avi')"],
    "cv2.CascadeClassifier": ["cv2.CascadeClassifier()"],
    "cv2.ORB_create": ["cv2.ORB_create()"],
    "cv2.SIFT_create": ["cv2.SIFT_create()"],
    "cv2.createCLAHE": ["cv2.createCLAHE()"],
    "cv2.KeyPoint": ["cv2.KeyPoint()"],
    "cv2.BFMatcher": ["cv2.BFMatcher()"],
    "cv2.HOGDescriptor": ["cv2.HOGDescriptor()"],
    "av.open": ["av.open('x.wav')"],
    "PIL.Image.open": ["PIL.Image.open('x.png')"],
    "soundfile.SoundFile": ["soundfile.SoundFile('x.wav')"],
    "wave.open": ["wave.open('x.wav')"],
    "duckdb.connect": ["duckdb.connect()", "duckdb.connect(':memory:')"],
    "redis.Redis": ["redis.Redis()"],
    "redis.ConnectionPool": ["redis.ConnectionPool()"],
    "boto3.Session": ["boto3.Session()"],
    "boto3.client": [
        "boto3.client('s3', region_name='x', aws_access_key_id='x', aws_secret_access_key='x')"
    ],
    "boto3.resource": [
        "boto3.resource('s3', region_name='x', aws_access_key_id='x', aws_secret_access_key='x')"
    ],
    "requests.Session": ["requests.Session()"],
    "urllib3.PoolManager": ["urllib3.PoolManager()"],
    "pandas.read_csv": ["pandas.read_csv('x.txt')", "pandas.read_csv('x.txt', chunksize=1)"],
    "cffi.FFI": ["cffi.FFI()"],
    "fsspec.open": ["fsspec.open('x.txt')"],
    "torch.utils.tensorboard.SummaryWriter": ["torch.utils.tensorboard.SummaryWriter('runs')"],
}

# What is done to the object of a resource's row, and whether what comes of it can be pickled.
HANGS: dict[str, list[tuple[str, str, str]]] = {
    "open('x.txt')": [("open", "buffer", "x.buffer"), ("open", "iter", "iter(x)")],
    "torch.utils.data.DataLoader([1])": [("torch.utils.data.DataLoader", "iter", "iter(x)")],
    "sqlite3.connect('x.db')": [
        ("sqlite3.connect", "cursor", "x.cursor()"),
        ("sqlite3.connect", "execute", "x.execute('select 1')"),
    ],
    "zipfile.ZipFile('x.zip')": [("zipfile.ZipFile", "open", "x.open('a')")],
    "tarfile.open('x.tar')": [("tarfile.open", "extractfile", "x.extractfile('x.txt')")],
    "h5py.File('x.h5')": [
        ("h5py.File", "[str]", "x['a']"),
        ("h5py.File", "get", "x.get('a')"),
        ("h5py.File", "attrs", "x.attrs"),
        ("h5py.File", "keys", "x.keys()"),
        ("h5py.File", "values", "x.values()"),
        ("h5py.File", "items", "x.items()"),
        ("h5py.Dataset", "attrs", "x['a'].attrs"),
        ("h5py.Dataset", "astype", "x['a'].astype('f8')"),
        ("h5py.Dataset", "ref", "x['a'].ref"),
        ("h5py.Dataset", "id", "x['a'].id"),
        ("h5py.Dataset", "file", "x['a'].file"),
    ],
    "lmdb.open('x.lmdb', readonly=True, lock=False)": [
        ("lmdb.open", "begin", "x.begin()"),
        ("lmdb.Transaction", "cursor", "x.begin().cursor()"),
    ],
    "numpy.load('x.npz')": [
        ("numpy.lib.npyio.NpzFile", "f", "x.f"),
        ("numpy.lib.npyio.NpzFile", "keys", "x.keys()"),
    ],
    "netCDF4.Dataset('x.nc')": [
        ("netCDF4.Dataset", "variables", "x.variables"),
        ("netCDF4.Dataset", "[str]", "x['a']"),
        ("netCDF4.Variables", "[str]", "x.variables['a']"),
    ],
    "duckdb.connect()": [
        ("duckdb.connect", "cursor", "x.cursor()"),
        ("duckdb.connect", "execute", "x.execute('select 1')"),
        ("duckdb.connect", "sql", "x.sql('select 1')"),
    ],
    "av.open('x.wav')": [
        ("av.open", "streams", "x.streams"),
        ("av.open", "decode", "x.decode()"),
    ],
    "redis.Redis()": [("redis.Redis", "pipeline", "x.pipeline()")],
}

PLAIN: dict[str, list[tuple[str, str, str]]] = {
    "open('x.txt')": [("open", "read", "x.read()"), ("open", "readlines", "x.readlines()")],
    "sqlite3.connect('x.db')": [
        ("sqlite3.Cursor", "fetchone", "x.execute('select 1').fetchone()"),
        ("sqlite3.Cursor", "fetchall", "x.execute('select 1').fetchall()"),
        ("sqlite3.Cursor", "description", "x.execute('select 1').description"),
    ],
    "zipfile.ZipFile('x.zip')": [
        ("zipfile.ZipFile", "namelist", "x.namelist()"),
        ("zipfile.ZipFile", "read", "x.read('a')"),
        ("zipfile.ZipFile", "infolist", "x.infolist()"),
    ],
    "tarfile.open('x.tar')": [
        ("tarfile.open", "getmembers", "x.getmembers()"),
        ("tarfile.open", "getnames", "x.getnames()"),
    ],
    "h5py.File('x.h5')": [
        ("h5py.Dataset", "[]", "x['a'][:]"),
        ("h5py.Dataset", "[]", "x['a'][0]"),
        ("h5py.Dataset", "shape", "x['a'].shape"),
        ("h5py.Dataset", "dtype", "x['a'].dtype"),
        ("h5py.AttributeManager", "[str]", "x.attrs['k']"),
        ("h5py.KeysViewHDF5", "[*]", "list(x.keys())"),
        ("h5py.File", "filename", "x.filename"),
    ],
    "lmdb.open('x.lmdb', readonly=True, lock=False)": [
        ("lmdb.open", "stat", "x.stat()"),
        ("lmdb.Transaction", "get", "x.begin().get(b'a')"),
    ],
    "numpy.load('x.npz')": [
        ("numpy.lib.npyio.NpzFile", "[str]", "x['a']"),
        ("numpy.lib.npyio.NpzFile", "files", "x.files"),
    ],
    "netCDF4.Dataset('x.nc')": [
        ("netCDF4.Variable", "[]", "x['a'][:]"),
        ("netCDF4.Variable", "shape", "x['a'].shape"),
    ],
    "duckdb.connect()": [
        ("duckdb.DuckDBPyConnection", "fetchall", "x.execute('select 1').fetchall()"),
        ("duckdb.DuckDBPyRelation", "fetchall", "x.sql('select 1').fetchall()"),
    ],
    "wave.open('x.wav')": [
        ("wave.open", "getnframes", "x.getnframes()"),
        ("wave.open", "getparams", "x.getparams()"),
    ],
}


def make_samples(folder: Path, libraries: set[str]) -> None:
    """Fill a folder with small files of the kinds the expressions open."""
    (folder / "x.bin").write_bytes(bytes(range(16)))
    (folder / "x.txt").write_text("a,b\n1,2\n3,4\n")
    (folder / "x.json").write_text('{"a": 1}\n')
    for name, opener in (("gz", gzip.open), ("bz2", bz2.open), ("xz", lzma.open)):
        with opener(folder / f"x.{name}", "wb") as file:
            file.write(b"x")
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        archive.writestr("a", "x")
    with tarfile.open(folder / "x.tar", "w") as archive:
        archive.add(folder / "x.txt", "x.txt")
    with wave.open(str(folder / "x.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", "NONE"))
        sound.writeframes(b"\0\0" * 800)
    sqlite3.connect(folder / "x.db").close()
    for library in libraries & set(_MAKERS):
        _MAKERS[library](folder)


def _numpy(folder: Path) -> None:
    import numpy as np

    np.save(folder / "x.npy", np.zeros(4))
    np.savez(folder / "x.npz", a=np.zeros(4))


def _h5py(folder: Path) -> None:
    import h5py

    with h5py.File(folder / "x.h5", "w") as file:
        file["a"] = [1, 2]
        file.attrs["k"] = 1


def _lmdb(folder: Path) -> None:
    import lmdb

    with lmdb.open(str(folder / "x.lmdb"), map_size=1 << 20) as env, env.begin(write=True) as txn:
        txn.put(b"a", b"1")


def _netcdf(folder: Path) -> None:
    import netCDF4

    with netCDF4.Dataset(str(folder / "x.nc"), "w") as file:
        file.createDimension("n", 2)
        file.createVariable("a", "f4", ("n",))[:] = [1, 2]


def _pillow(folder: Path) -> None:
    from PIL import Image

    Image.new("L", (2, 2)).save(folder / "x.png")


_MAKERS = {
    "numpy": _numpy,
    "h5py": _h5py,
    "lmdb": _lmdb,
    "netCDF4": _netcdf,
    "Pillow": _pillow,
    "pillow": _pillow,
}
