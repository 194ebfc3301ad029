"""Small files of the kinds that the expressions of builds.toml open, made when one names them."""

from __future__ import annotations

import asyncio
import atexit
import bz2
import gzip
import http.server
import lzma
import os
import re
import sqlite3
import tarfile
import threading
import wave
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Maker = Callable[[Path], None]
MAKERS: dict[str, Maker] = {}


def makes(*names: str) -> Callable[[Maker], Maker]:
    """Register a function that makes these files in the folder it gets."""

    def register(function: Maker) -> Maker:
        MAKERS.update(dict.fromkeys(names, function))
        return function

    return register


def make_samples(folder: Path, expression: str) -> None:
    """Make the files an expression names, unless they are there."""
    for name in re.findall(r"'([\w.]+)'", expression):
        if name in MAKERS and not (folder / name).exists():
            MAKERS[name](folder)


# The standard library


@makes("x.bin")
def _bytes(folder: Path) -> None:
    (folder / "x.bin").write_bytes(bytes(range(16)))


@makes("x.txt")
def _text(folder: Path) -> None:
    (folder / "x.txt").write_text("a,b\n1,2\n3,4\n")


@makes("x.json")
def _json(folder: Path) -> None:
    (folder / "x.json").write_text('{"a": 1}\n')


@makes("x.xml")
def _xml(folder: Path) -> None:
    (folder / "x.xml").write_text("<a/>")


@makes("x.gz", "x.bz2", "x.xz")
def _compressed(folder: Path) -> None:
    for name, opener in (("x.gz", gzip.open), ("x.bz2", bz2.open), ("x.xz", lzma.open)):
        with opener(folder / name, "wb") as file:
            file.write(b"x")


@makes("x.zip")
def _zip(folder: Path) -> None:
    with zipfile.ZipFile(folder / "x.zip", "w") as archive:
        archive.writestr("a", "x")


@makes("x.tar", "x.tar.gz")
def _tar(folder: Path) -> None:
    _text(folder)
    for name, mode in (("x.tar", "w"), ("x.tar.gz", "w:gz")):
        with tarfile.open(folder / name, mode) as archive:  # type: ignore[call-overload]
            archive.add(folder / "x.txt", "x.txt")


@makes("x.wav")
def _wav(folder: Path) -> None:
    with wave.open(str(folder / "x.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", "NONE"))
        sound.writeframes(b"\0\0" * 800)


@makes("x.db")
def _db(folder: Path) -> None:
    sqlite3.connect(folder / "x.db").close()


# Arrays


@makes("x.npy", "x.npz")
def _numpy(folder: Path) -> None:
    import numpy as np

    np.save(folder / "x.npy", np.zeros(4))
    np.savez(folder / "x.npz", a=np.zeros(4))


@makes("x.h5")
def _h5py(folder: Path) -> None:
    import h5py

    with h5py.File(folder / "x.h5", "w") as file:
        file["a"] = [1, 2]
        file.attrs["k"] = 1


@makes("x.safetensors")
def _safetensors(folder: Path) -> None:
    import numpy as np
    from safetensors.numpy import save_file

    save_file({"a": np.zeros(4)}, folder / "x.safetensors")


@makes("x.h5ad")
def _anndata(folder: Path) -> None:
    import anndata
    import numpy as np

    anndata.AnnData(np.zeros((4, 3))).write_h5ad(folder / "x.h5ad")


@makes("x.lmdb")
def _lmdb(folder: Path) -> None:
    import lmdb

    with lmdb.open(str(folder / "x.lmdb"), map_size=1 << 20) as env, env.begin(write=True) as txn:
        txn.put(b"a", b"1")


@makes("x.nc", "x3.nc", "u1.nc", "u2.nc")
def _netcdf(folder: Path) -> None:
    import netCDF4

    formats = {
        "x": "NETCDF4",
        "x3": "NETCDF3_CLASSIC",
        "u1": "NETCDF3_CLASSIC",
        "u2": "NETCDF3_CLASSIC",
    }
    for name, form in formats.items():
        with netCDF4.Dataset(str(folder / f"{name}.nc"), "w", format=form) as file:
            file.createDimension("n", None)
            file.createVariable("a", "f4", ("n",))[:] = [1, 2]


@makes("x.zarr")
def _zarr(folder: Path) -> None:
    import zarr

    zarr.open_group(folder / "x.zarr", mode="w").create_array("a", shape=(2,), dtype="f4")


@makes("x.tdb")
def _tiledb(folder: Path) -> None:
    import numpy as np
    import tiledb

    tiledb.from_numpy(str(folder / "x.tdb"), np.zeros(4)).close()


@makes("x.ninja")
def _ninja(folder: Path) -> None:
    import numpy as np
    from mmap_ninja import RaggedMmap

    RaggedMmap.from_lists(folder / "x.ninja", [np.zeros(1), np.zeros(2)])


@makes("x.joblib")
def _joblib(folder: Path) -> None:
    import joblib
    import numpy as np

    joblib.dump(np.zeros(4), folder / "x.joblib")


@makes("x.root")
def _root(folder: Path) -> None:
    import uproot

    with uproot.recreate(folder / "x.root") as file:
        file["t"] = {"a": [1.0]}


# Pictures, sound and films


@makes("x.png", "x.jpg", "x.gif", "pages.tif")
def _pictures(folder: Path) -> None:
    from PIL import Image

    image = Image.new("L", (16, 16))
    for name in ("x.png", "x.jpg"):
        image.save(folder / name)
    for name in ("x.gif", "pages.tif"):
        image.save(folder / name, save_all=True, append_images=[Image.new("L", (16, 16), 1)])


@makes("x.tif", "tiled.tif")
def _tiff(folder: Path) -> None:
    import numpy as np
    import tifffile

    tifffile.imwrite(folder / "x.tif", np.zeros((16, 16), "u1"))
    tiles = np.zeros((256, 256, 3), "u1")
    tifffile.imwrite(folder / "tiled.tif", tiles, tile=(256, 256), photometric="rgb")


@makes("x.exr")
def _exr(folder: Path) -> None:
    import numpy as np
    import OpenEXR

    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    OpenEXR.File(header, {"Y": np.zeros((4, 4), "f4")}).write(str(folder / "x.exr"))


@makes("x.avi")
def _film(folder: Path) -> None:
    import cv2
    import numpy as np

    film = cv2.VideoWriter(str(folder / "x.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, (64, 64))
    for shade in range(10):
        film.write(np.full((64, 64, 3), shade * 20, "u1"))
    film.release()


@makes("x.flac")
def _flac(folder: Path) -> None:
    import numpy as np
    import soundfile

    soundfile.write(folder / "x.flac", np.zeros(800), 8000)


# Medicine, biology, chemistry and the earth


@makes("x.dcm")
def _dicom(folder: Path) -> None:
    from pydicom.dataset import Dataset as Record
    from pydicom.dataset import FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian, generate_uid

    record = Record()
    record.PatientName = "x"
    record.SOPClassUID = record.SOPInstanceUID = generate_uid()
    record.file_meta = FileMetaDataset()
    record.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    record.save_as(folder / "x.dcm", enforce_file_format=True)


@makes("x.nii", "x.nii.gz")
def _nifti(folder: Path) -> None:
    import nibabel
    import numpy as np

    for name in ("x.nii", "x.nii.gz"):
        nibabel.save(nibabel.Nifti1Image(np.zeros((2, 2, 2), "f4"), np.eye(4)), folder / name)


@makes("x.mrc")
def _mrc(folder: Path) -> None:
    import mrcfile
    import numpy as np

    mrcfile.write(folder / "x.mrc", np.zeros((2, 2), "f4"))


@makes("x.las")
def _las(folder: Path) -> None:
    import laspy
    import numpy as np

    cloud = laspy.create()
    cloud.x = cloud.y = cloud.z = np.zeros(2)
    cloud.write(str(folder / "x.las"))


@makes("x.sgy")
def _sgy(folder: Path) -> None:
    import numpy as np
    import segyio

    spec = segyio.spec()
    spec.format, spec.samples, spec.tracecount = 1, range(4), 2
    with segyio.create(str(folder / "x.sgy"), spec) as file:
        for index in range(2):
            file.trace[index] = np.zeros(4, "f4")


@makes("x.nwb")
def _nwb(folder: Path) -> None:
    from datetime import datetime, timezone

    import pynwb

    file = pynwb.NWBFile("a", "b", datetime.now(timezone.utc))
    with pynwb.NWBHDF5IO(str(folder / "x.nwb"), "w") as io:
        io.write(file)


@makes("x.jsonl")
def _jsonl(folder: Path) -> None:
    (folder / "x.jsonl").write_text("{}\n", encoding="utf-8")


@makes("x.edf")
def _edf(folder: Path) -> None:
    import numpy as np
    import pyedflib

    pyedflib.highlevel.write_edf(
        str(folder / "x.edf"),
        np.zeros((1, 256)),
        pyedflib.highlevel.make_signal_headers(["a"], sample_frequency=256),
    )


@makes("x.fa", "x.fa.fai")
def _fasta(folder: Path) -> None:
    (folder / "x.fa").write_text(">a\nACGT\n")
    (folder / "x.fa.fai").write_text("a\t4\t3\t4\t5\n")


@makes("x.sam")
def _sam(folder: Path) -> None:
    (folder / "x.sam").write_text("@SQ\tSN:a\tLN:4\nr\t0\ta\t1\t9\t4M\t*\t0\t0\tACGT\t*\n")


@makes("x.vcf")
def _vcf(folder: Path) -> None:
    columns = "\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO"])
    (folder / "x.vcf").write_text(f"##fileformat=VCFv4.2\n##contig=<ID=a>\n{columns}\n")


@makes("x.bed.gz")
def _bed(folder: Path) -> None:
    import pysam

    (folder / "x.bed").write_text("a\t1\t2\n")
    pysam.tabix_index(str(folder / "x.bed"), preset="bed", force=True)


@makes("x.bw")
def _bigwig(folder: Path) -> None:
    import pyBigWig

    file = pyBigWig.open(str(folder / "x.bw"), "w")
    file.addHeader([("a", 10)])
    file.addEntries(["a"], [1], ends=[2], values=[1.0])
    file.close()


@makes("x.sdf")
def _sdf(folder: Path) -> None:
    from rdkit import Chem

    (folder / "x.sdf").write_text(Chem.MolToMolBlock(Chem.MolFromSmiles("C")) + "$$$$\n")


@makes("x.traj")
def _trajectory(folder: Path) -> None:
    import ase
    import ase.io

    ase.io.write(folder / "x.traj", ase.Atoms("H"))


@makes("x.geojson")
def _geojson(folder: Path) -> None:
    point = '{"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [0, 0]}}'
    (folder / "x.geojson").write_text(f'{{"type": "FeatureCollection", "features": [{point}]}}')


# Tables, documents and archives


@makes("x.parquet", "x.arrow", "x.arrows")
def _arrow(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    table = pa.table({"a": [1]})
    pa.parquet.write_table(table, folder / "x.parquet")
    for name, writer in (("x.arrow", pa.ipc.new_file), ("x.arrows", pa.ipc.new_stream)):
        with pa.OSFile(str(folder / name), "wb") as file, writer(file, table.schema) as out:
            out.write_table(table)


@makes("x.lance")
def _lance(folder: Path) -> None:
    import lance
    import pyarrow as pa

    lance.write_dataset(pa.table({"a": [1]}), str(folder / "x.lance"))


@makes("x.lancedb")
def _lancedb(folder: Path) -> None:
    import lancedb

    lancedb.connect(str(folder / "x.lancedb")).create_table("t", [{"a": 1, "vector": [1.0, 2.0]}])


@makes("x.hf")
def _hugging_face(folder: Path) -> None:
    import datasets

    datasets.Dataset.from_dict({"a": [1]}).save_to_disk(folder / "x.hf")


@makes("x.xlsx")
def _excel(folder: Path) -> None:
    import openpyxl

    openpyxl.Workbook().save(folder / "x.xlsx")


@makes("x.pdf")
def _pdf(folder: Path) -> None:
    from PIL import Image

    Image.new("L", (16, 16)).save(folder / "x.pdf")


@makes("x.zst")
def _zst(folder: Path) -> None:
    import zstandard

    (folder / "x.zst").write_bytes(zstandard.compress(b"x"))


@makes("x.lz4")
def _lz4(folder: Path) -> None:
    import lz4.frame

    (folder / "x.lz4").write_bytes(lz4.frame.compress(b"x"))


@makes("x.7z")
def _seven_zip(folder: Path) -> None:
    import py7zr

    with py7zr.SevenZipFile(folder / "x.7z", "w") as archive:
        archive.writestr("x", "a")


# Models


@makes("x.onnx")
def _onnx(folder: Path) -> None:
    from onnx import TensorProto, helper, save

    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", ends[:1], ends[1:])
    opset = helper.make_opsetid("", 13)
    save(helper.make_model(graph, opset_imports=[opset], ir_version=8), folder / "x.onnx")


@makes("x.pt", "x.tensor", "x.package")
def _torch(folder: Path) -> None:
    import torch
    from torch.package import PackageExporter

    torch.jit.script(torch.nn.Sequential(torch.nn.ReLU())).save(str(folder / "x.pt"))
    torch.save(torch.zeros(1), folder / "x.tensor")
    with PackageExporter(folder / "x.package") as package:
        package.save_pickle("a", "a.pkl", 1)


@makes("x.spm")
def _sentencepiece(folder: Path) -> None:
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c"] * 10),
        model_prefix=str(folder / "x"),
        vocab_size=8,
        minloglevel=2,
    )
    (folder / "x.model").rename(folder / "x.spm")


@makes("vocab.txt")
def _vocabulary(folder: Path) -> None:
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n")


@makes("x.ftm")
def _fasttext(folder: Path) -> None:
    import fasttext

    (folder / "words").write_text("a b c\n" * 10)
    model = fasttext.train_unsupervised(
        str(folder / "words"), dim=2, minCount=1, epoch=1, verbose=0
    )
    model.save_model(str(folder / "x.ftm"))


# What expressions name in capitals


class Kept:
    """Something a weak reference may point to."""


KEPT = Kept()


def site() -> str:
    """Start an HTTP server and return its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    atexit.register(server.server_close)
    return f"http://127.0.0.1:{server.server_address[1]}/"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def font() -> str:
    """Return the path of a font that a library ships."""
    import matplotlib

    return os.path.join(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")


def process_group() -> Any:
    """Return a process group of this process alone."""
    import torch.distributed as dist

    if not dist.is_initialized():
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    return dist.group.WORLD


def in_loop(make: Callable[[], Any]) -> Any:
    """Make something that is only made while an event loop runs."""

    async def run() -> Any:
        return make()

    return asyncio.run(run())


GIVEN: dict[str, Callable[[], Any]] = {
    "KEPT": lambda: KEPT,
    "IN_LOOP": lambda: in_loop,
    "SITE": site,
    "FONT": font,
    "GROUP": process_group,
}
