"""backend.py: what `pip install ./python` calls. A wheel is a zip file with a list of its contents, so that nothing needs to be fetched
to make one: neither setuptools nor a network.

The library itself goes in, when `make` has built it: ../build/libattest.so (or what $ATTEST_LIBRARY names). Without it the package looks
for an installed one when it is imported.
"""
import base64
import hashlib
import os
import pathlib
import re
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def _version():
    return re.search(r"^VERSION := (\S+)$", (HERE.parent / "Makefile").read_text(), re.M)[1]


def _library():
    named = os.environ.get("ATTEST_LIBRARY")
    path = pathlib.Path(named) if named else HERE.parent / "build" / "libattest.so"
    return path if path.exists() else None


def _metadata():
    return ("Metadata-Version: 2.1\nName: attest\n" f"Version: {_version()}\n"
            "Summary: Theorems about transformers as weights, and checks of them\n"
            "License: MIT\nRequires-Python: >=3.9\nRequires-Dist: numpy\n")


def _write(directory, files, library):
    """The wheel of these files, {name in it: bytes}; returns its name."""
    version = _version()
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_") if library else "py3-none-any"
    info = f"attest-{version}.dist-info"
    files = dict(files)
    if library:
        files["attest/libattest.so"] = library.read_bytes()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: attest\nRoot-Is-Purelib: {'false' if library else 'true'}\n"
                              f"Tag: {tag}\n").encode()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"attest-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / wheel, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    package = sorted(p for p in (HERE / "attest").iterdir() if p.suffix == ".py" or p.name == "py.typed")
    return _write(wheel_directory, {f"attest/{p.name}": p.read_bytes() for p in package}, _library())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: the wheel only says where the package is."""
    return _write(wheel_directory, {"attest.pth": f"{HERE}\n".encode()}, None)


def build_sdist(sdist_directory, config_settings=None):
    """There is none: the package is made from the repository that builds its library."""
    raise NotImplementedError("attest has no source distribution; install from a clone of the repository")
