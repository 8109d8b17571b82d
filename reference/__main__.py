"""python -m reference [FOLDER]: write the pages, make the site, check its links."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from cudnn_cffi import __version__
from cudnn_cffi._index import RELEASES
from cudnn_cffi._tables.active import active

from .pages import write
from .site import versions
from .site.checks import check

_HERE = Path(__file__).parent
_ROOT = _HERE.parent


def main(arguments: list[str] | None = None) -> int:
    """Make the site and check its links; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m reference", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=_ROOT / "build" / "reference")
    parser.add_argument("--pages", action="store_true", help="write the pages, call no Sphinx")
    parser.add_argument("-j", "--jobs", default="auto", help="processes (default: one a core)")
    options = parser.parse_args(arguments)
    source, html = options.folder / "source", options.folder / "html"
    site = html / __version__  # sites of other versions may be beside it
    for made, sign in ((source, "names"), (site, "_static")):
        if made.exists() and not (made / sign).exists():
            parser.error(f"{made}: a folder that this command made was expected, or none")
    active([*RELEASES][-1])  # names are those of the newest release, whatever library is here
    shutil.rmtree(source, ignore_errors=True)
    count = write(source)
    print(f"{count} pages in {source}")
    if options.pages:
        return 0
    from sphinx.cmd.build import build_main

    shutil.rmtree(site, ignore_errors=True)
    doctrees = str(options.folder / "doctrees")
    configured = ["-c", str(_HERE), "-d", doctrees, "-j", options.jobs]
    if status := build_main(
        ["-q", "-W", "--keep-going", "-b", "html", *configured, str(source), str(site)]
    ):
        return int(status)
    versions.list_pages(site)
    versions.write(html)
    wrong, outside = check(site)
    print("\n".join([*wrong, f"{len(wrong)} wrong links; links to other sites:", *outside]))
    print(f"the site is {site / 'index.html'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
