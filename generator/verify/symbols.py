"""The functions that real libraries export, read from their symbol tables without loading them."""

from __future__ import annotations

import io
import re

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from ..headers import HeaderError, Registry
from ..headers.cache import Cache

#: The small library in front of the others, which programs link with.
_SHIM = re.compile(r"(?:.*/)?libcudnn\.so\.\d+")


def exported(release: str) -> frozenset[str]:
    """Return the functions of cuDNN's that libcudnn of a release exports.

    Only the library is fetched from its wheel, about 0.1 MB; its symbols are kept in the cache.

    Raises:
        HeaderError: it cannot be had.
    """
    cache = Cache()
    kept = cache.load(f"symbols-{release}", tuple[str, ...])
    if kept is None:
        with Registry() as registry:
            files = registry.files(release, lambda path: bool(_SHIM.fullmatch(path)))
        if not files:
            raise HeaderError(f"{release}: its wheel has no libcudnn.so")
        name, data = next(iter(files.items()))
        kept = tuple(sorted(symbols(data, name)))
        cache.store(f"symbols-{release}", kept)
    return frozenset(kept)


def symbols(data: bytes, name: str) -> frozenset[str]:
    """Return the names of cuDNN's functions that a shared library in `data` defines.

    Raises:
        HeaderError: it is none.
    """
    try:
        section = ELFFile(io.BytesIO(data)).get_section_by_name(".dynsym")
    except ELFError as error:
        raise HeaderError(f"{name} is no shared library: {error}") from error
    if not isinstance(section, SymbolTableSection):
        raise HeaderError(f"{name} exports nothing")
    return frozenset(
        symbol.name
        for symbol in section.iter_symbols()
        if symbol.name.startswith("cudnn")
        and symbol["st_shndx"] != "SHN_UNDEF"
        and symbol["st_info"]["type"] == "STT_FUNC"
    )
