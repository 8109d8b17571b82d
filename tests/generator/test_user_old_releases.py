"""Releases before 8.5 beside those of the installed package, made from headers of the user."""

from __future__ import annotations

from pathlib import Path

import pytest
from cudnn_cffi.api.model import Api

from generator import pipeline
from generator.headers.records import HeaderSet
from tests.generator import fake, old
from tests.generator.small import CUDA
from tests.generator.test_user import User

pytest.importorskip("clang", reason="the extra 'generate' is not installed")

pytestmark = pytest.mark.slow  # the call layer is compiled

CALLS = """
import cudnn_cffi as c
x = c.TensorDescriptor.from_address(0x2000)
c.cudnnActivationForward(0x1000, c.ActivationMode.RELU, 1.5, x, 0x3000, 0.0, x, 0x4000)
c.cudnnAddTensor(0x1000, c.AddMode.SAME_C, 1.0, x, 0x3000, 1.0, x, 0x4000)
c.cudnnSetPooling2dDescriptor(0x5000, c.PoolingMode.MAX, 2, 3, 0, 1, 4, 5)
c.cudnnSetFilter4dDescriptor(0x6000, c.DataType.DOUBLE, 1, 2, 3, 4)
print(c._call.mode(), c.load().version)
try:
    c.cudnnActivationForward(0x1000, 7, 1.5, x, 0x3000, 0.0, x)
except TypeError as error:
    print(error)
try:
    c.cudnnBackendExecute(1, 2, 3)
except NotImplementedError as error:
    print(str(error).partition("\\n")[0])
"""

FORMS = """
import inspect
from cudnn_cffi import v3_0_7, v8_9_7
for name in ("cudnnActivationForward", "cudnnAddTensor", "cudnnSetPooling2dDescriptor",
             "cudnnSetFilter4dDescriptor", "cudnnSetTensorNdDescriptor"):
    here = [list(inspect.signature(getattr(v, name)).parameters) for v in (v3_0_7, v8_9_7)]
    print(name, *[",".join(each[1:3]) for each in here])
"""


def written(folder: Path, files: HeaderSet) -> User:
    user = User(folder)
    for name, data in files.files.items():
        (user.headers / name).write_bytes(data)
    done = user.run("generate", "--headers", str(user.headers), "--cuda-headers", str(user.cuda))
    assert done.returncode == 0, done.stderr
    assert f"generated {files.version}; imports find it in" in done.stdout
    return user


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    return written(tmp_path_factory.mktemp("old"), old.V3)


def api_of(files: HeaderSet) -> Api:
    return pipeline.api_from_headers(files, CUDA)


@pytest.mark.parametrize("mode", ["abi", "api"])
def test_a_library_of_cudnn_3_gets_its_own_arguments(user: User, tmp_path: Path, mode: str) -> None:
    """Also where a function of the same name takes others in the package's releases."""
    library = fake.library(tmp_path, api_of(old.V3), 3007)
    done = user.python("-c", CALLS, CUDNN_CFFI_LIBRARY=str(library), CUDNN_CFFI_MODE=mode)
    said = [line for line in done.stdout.splitlines() if not line.startswith("cudnnGet")]
    assert len(said) == 7, done.stdout + done.stderr
    words = [line.split() for line in said]
    assert words[0][:3] == ["cudnnActivationForward", str(0x1000), "1"]
    assert [words[0][place] for place in (4, 5, 7, 8)] == ["8192", "12288", "8192", "16384"]
    assert words[1][:3] == ["cudnnAddTensor", str(0x1000), "2"]
    assert said[2] == f"cudnnSetPooling2dDescriptor {0x5000} 0 2 3 0 1 4 5"
    assert said[3] == f"cudnnSetFilter4dDescriptor {0x6000} 1 1 2 3 4"
    assert said[4] == f"{mode} 3.0.7"
    assert "destData" in said[5]
    assert "cudnnBackendExecute: added in 8.5.0, loaded 3.0.7" in said[6]


def test_each_release_has_its_form(user: User) -> None:
    done = user.python("-c", FORMS)
    assert done.stdout.splitlines() == [
        "cudnnActivationForward mode,alpha activationDesc,alpha",
        "cudnnAddTensor mode,alpha alpha,aDesc",
        "cudnnSetPooling2dDescriptor mode,windowHeight mode,maxpoolingNanOpt",
        "cudnnSetFilter4dDescriptor dataType,k dataType,format",
        "cudnnSetTensorNdDescriptor dataType,nbDims dataType,nbDims",
    ], done.stderr


def test_the_diff_and_the_history_know_it(user: User) -> None:
    done = user.run("diff", "3.0.7", "8.9.7")
    assert "func-" in done.stdout
    assert "cudnnSetFilter4dDescriptor" in done.stdout
    assert done.returncode == 1
    assert "3.0.7" in user.run("history", "cudnnSetFilter4dDescriptor").stdout
