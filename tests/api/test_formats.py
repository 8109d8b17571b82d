"""One report, seven formats: each says everything, and what a program reads is well formed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import msgspec
import pytest
from cudnn_cffi.api import formats, timeline
from cudnn_cffi.api.diff import compare
from cudnn_cffi.api.formats import json as json_format
from cudnn_cffi.api.formats import text as text_format
from cudnn_cffi.api.inputs.suppress import Suppression
from cudnn_cffi.api.report import Place, Report, Scan, Side, build, judged
from cudnn_cffi.api.rules import AXES
from cudnn_cffi.api.uses import narrow

from tests.api.models import api, enum, function, parameter

ROOT = Path(__file__).parents[2]

OLD = api(
    "8.9.7",
    functions=(function("cudnnF_v6"), function("cudnnG", parameter("fMode"))),
    enums=(enum(A=1, B=2, COUNT=3),),
)
NEW = api(
    "9.0.0",
    functions=(function("cudnnF_v8"), function("cudnnG", parameter("fwdMode"))),
    enums=(enum(A=2, B=1, C=3, COUNT=4),),
)
SIDES = (Side("8.9.7", "8.9.7.29", "8.9.6"), OLD), (Side("9.0.0", "9.0.0.312", "9.0.0"), NEW)
ACCEPTED = Suppression("positional <only> 100%", rule="func-param-renamed")
UNUSED = Suppression("an old story", name="cudnnNever")

#: Text that every format must carry as it is.
HOSTILE = "src/a, b:c%<&>.cu"


@pytest.fixture
def report() -> Report:
    """Findings of every severity, one suppressed, and a suppression without use."""
    return build(*SIDES, suppressions=[ACCEPTED, UNUSED])


@pytest.fixture
def used() -> Report:
    """Findings with places in sources and in a library."""
    places = (
        Place(HOSTILE, 3, 7, "cudnnF_v6", "CUDA"),
        Place("lib/libx.so", None, None, "cudnnF_v6", "ELF"),
    )
    (finding,) = [f for f in compare(OLD, NEW) if f.rule == "func-removed"]
    item = judged(finding, AXES, places)
    assert item is not None
    scan = Scan(("src", "lib"), files=9, using=2, names=4, skipped=("src/x.py: does not parse",))
    return build(*SIDES, items=(item,), scan=scan)


@pytest.fixture
def empty() -> Report:
    return build(SIDES[0], SIDES[0])


@pytest.mark.parametrize("format", formats.FORMATS)
def test_every_format_is_the_same_each_time_and_ends_with_a_newline(
    format: str, report: Report
) -> None:
    render = formats.renderer(format)
    assert render(report) == render(report)
    assert render(report).endswith("\n")


@pytest.mark.parametrize("format", formats.FORMATS)
def test_every_format_names_every_open_finding(format: str, report: Report) -> None:
    output = formats.renderer(format)(report).replace("&gt;", ">")
    for item in report.findings:
        if item.suppressed is None:
            assert item.name in output
            assert item.rule in output


@pytest.mark.parametrize("format", formats.FORMATS)
def test_an_empty_report_says_how_much_was_compared(format: str, empty: Report) -> None:
    output = formats.renderer(format)(empty)
    if format in ("json", "sarif"):
        assert "functions" in output
    else:
        assert re.search(r"compared 2 functions.*3 enumerators", output, re.I)


# text


def test_text(report: Report) -> None:
    lines = formats.renderer("text")(report).splitlines()
    assert lines[0] == ("cuDNN 8.9.7 -> 9.0.0   compared 2 functions, 1 enum, 3 -> 4 enumerators")
    assert (
        "BREAKING func-removed             [abi source python] cudnnF_v6   "
        "use cudnnF_v8 (same name, another version suffix)" in lines
    )
    assert (
        "BREAKING enumerator-value-changed [abi]               CUDNN_A 1 -> 2 (1 is now CUDNN_B)"
        in lines
    )
    assert "RISK     enum-sentinel-moved      [abi source]        CUDNN_COUNT 3 -> 4" in lines
    assert lines[-2] == "unused suppression: rule *, name cudnnNever (an old story)"
    assert lines[-1] == "Summary: 4 breaking, 2 risk, 2 added, 0 info, 1 suppressed -> exit 1"


def test_text_is_coloured_when_asked(report: Report) -> None:
    assert "\x1b[31;1mBREAKING" in text_format.lines(report, colour=True, verbose=False)
    assert "\x1b" not in text_format.lines(report, colour=False, verbose=False)


def test_verbose_text_gives_the_reason_the_advice_and_what_is_suppressed(report: Report) -> None:
    output = text_format.lines(report, colour=False, verbose=True)
    assert "func-removed: The symbol is gone: it does not link" in output
    assert "suppressed: positional <only> 100%" in output


def test_what_breaks_is_listed_and_the_rest_is_put_together() -> None:
    many = {f"X{number}": number for number in range(9)}
    old, new = api("9.1.0", enums=(enum(),)), api("9.2.0", enums=(enum(**many),))
    sides = (Side("9.1.0", "9.1.0", "9.1.0"), old), (Side("9.2.0", "9.2.0", "9.2.0"), new)
    assert "9 names, cudnnE_t: CUDNN_X0, CUDNN_X1, CUDNN_X2, ..." in formats.renderer("text")(
        build(*sides)
    )
    backwards = formats.renderer("text")(build(sides[1], sides[0]))
    assert backwards.count("enumerator-removed") == 9


def test_text_shows_places(used: Report) -> None:
    lines = formats.renderer("text")(used).splitlines()
    assert f"         {HOSTILE}:3: cudnnF_v6" in lines
    assert "         lib/libx.so: cudnnF_v6" in lines
    assert "2 of 9 files with 4 names of cuDNN's, 1 not read as a whole" in lines
    assert "warning: src/x.py: does not parse" in lines


# json


def test_json_follows_the_published_schema(report: Report, used: Report) -> None:
    schema = json.loads((ROOT / "docs" / "diff-schema.json").read_text())
    for each in (report, used):
        jsonschema.validate(json.loads(formats.renderer("json")(each)), schema)


def test_the_published_schema_is_that_of_the_code() -> None:
    published = json.loads((ROOT / "docs" / "diff-schema.json").read_text())
    assert published == json_format.schema()


def test_json_without_a_field_breaks_the_schema(report: Report) -> None:
    schema = json.loads((ROOT / "docs" / "diff-schema.json").read_text())
    data = json.loads(formats.renderer("json")(report))
    del data["summary"]
    with pytest.raises(jsonschema.ValidationError, match="summary"):
        jsonschema.validate(data, schema)


def test_json_values_keep_their_types(report: Report) -> None:
    data = json.loads(formats.renderer("json")(report))
    (finding,) = [f for f in data["findings"] if f["name"] == "CUDNN_A"]
    assert (finding["old"], finding["new"]) == (1, 2)
    assert finding["axes"] == {"abi": "breaking", "source": "info", "python": "info"}
    assert data["schema"] == 2
    assert data["exit"] == 1


# github


def test_github_annotations_point_at_the_line(used: Report) -> None:
    lines = formats.renderer("github")(used).splitlines()
    assert lines[0].startswith(
        "::error file=src/a%2C b%3Ac%25<&>.cu,line=3,col=7,"
        "title=func-removed%3A cudnnF_v6::cudnnF_v6: function removed"
    )
    assert lines[1].startswith("::error file=lib/libx.so,title=")
    assert lines[-1].startswith("::notice title=cuDNN API::cuDNN 8.9.7 -> 9.0.0: compared 2")


def test_github_has_a_level_for_each_severity(report: Report) -> None:
    output = formats.renderer("github")(report)
    levels = re.findall(r"^::(\w+) ", output, re.M)
    assert {"error", "warning", "notice"} == set(levels)
    assert "func-param-renamed" not in output  # suppressed


# SARIF


def sarif(report: Report) -> dict[str, Any]:
    log = json.loads(formats.renderer("sarif")(report))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_results_refer_to_rules_that_are_described(report: Report) -> None:
    run = sarif(report)
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(report.findings)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")


def test_sarif_keeps_what_is_suppressed_with_the_reason(report: Report) -> None:
    (result,) = [r for r in sarif(report)["results"] if "suppressions" in r]
    assert result["suppressions"] == [{"kind": "external", "justification": ACCEPTED.reason}]


def test_sarif_has_a_result_for_each_place(used: Report, report: Report) -> None:
    source, library = (
        result["locations"][0]["physicalLocation"] for result in sarif(used)["results"]
    )
    assert source["artifactLocation"]["uri"] == "src/a%2C%20b%3Ac%25%3C%26%3E.cu"
    assert source["region"] == {"startLine": 3, "startColumn": 7}
    assert "region" not in library
    for result in sarif(report)["results"]:
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
    named = sarif(report)["results"][0]["locations"][0]["logicalLocations"]
    assert named == [{"fullyQualifiedName": "cudnnF_v6", "kind": "function"}]


def test_sarif_knows_a_place_again_when_its_line_moves() -> None:
    def fingerprints(*lines: int) -> list[str]:
        places = tuple(Place("a.c", line, 1, "cudnnF_v6", "C") for line in lines)
        (finding,) = [f for f in compare(OLD, NEW) if f.rule == "func-removed"]
        item = judged(finding, AXES, places)
        assert item is not None
        results = sarif(build(*SIDES, items=(item,)))["results"]
        return [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]

    assert fingerprints(3, 9) == fingerprints(30, 90)
    assert len(set(fingerprints(3, 9))) == 2
    assert fingerprints(3) != []


def test_sarif_s_columns_count_characters(tmp_path: Path) -> None:
    pytest.importorskip("elftools", reason="the extra 'uses' is not installed")
    (tmp_path / "a.c").write_text("/* \U0001f600 */ int x = cudnnF_v6();")
    items, scan = narrow(*SIDES, [str(tmp_path)], AXES)
    run = sarif(build(*SIDES, items=items, scan=scan))
    (region,) = [r["locations"][0]["physicalLocation"]["region"] for r in run["results"]]
    assert (run["columnKind"], region["startColumn"]) == ("unicodeCodePoints", 17)


def test_sarif_says_who_made_it_and_what_was_not_read(used: Report) -> None:
    run = sarif(used)
    assert run["tool"]["driver"]["informationUri"] == "pkg:pypi/cudnn-cffi"
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == "src/x.py: does not parse"


def test_sarif_paths_are_relative_to_the_folder_it_is_run_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (finding,) = [f for f in compare(OLD, NEW) if f.rule == "func-removed"]
    paths = (str(tmp_path / "src" / "a.c"), "/elsewhere/b.c", "c\udcff\n.c")
    places = tuple(Place(path, 1, 1, "cudnnF_v6", "C") for path in paths)
    item = judged(finding, AXES, places)
    assert item is not None
    monkeypatch.chdir(tmp_path)
    results = sarif(build(*SIDES, items=(item,)))["results"]
    assert [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results
    ] == ["src/a.c", "file:///elsewhere/b.c", "c%FF%0A.c"]


@pytest.mark.parametrize("format", formats.FORMATS)
def test_names_of_files_that_are_no_utf8_or_hostile(format: str) -> None:
    (finding,) = [f for f in compare(OLD, NEW) if f.rule == "func-removed"]
    name = "n\udcff\x1b[31m\n::error::.c"
    item = judged(finding, AXES, (Place(name, 1, 1, "cudnnF_v6", "C"),))
    assert item is not None
    scan = Scan((name,), files=2, using=1, names=1, skipped=(f"{name}: not a regular file",))
    output = formats.renderer(format)(build(*SIDES, items=(item,), scan=scan))
    output.encode("utf-8")
    assert "\x1b" not in output
    assert "\n::error::" not in output
    shown = {"json": r"n\\xff", "markdown": r"n\\xff", "sarif": r"n\\xff"}.get(format, r"n\xff")
    assert shown in output
    assert "not a regular file" in output


# JUnit


def test_junit_fails_what_decides_the_exit_status(report: Report) -> None:
    (suite,) = ElementTree.fromstring(formats.renderer("junit")(report))
    counted = {name: int(suite.attrib[name]) for name in ("tests", "failures", "skipped")}
    assert counted == {
        "tests": len(report.findings) + 1,
        "failures": report.summary.breaking,
        "skipped": 1,
    }
    assert len(suite.findall("testcase")) == counted["tests"]
    assert len(suite.findall("testcase/failure")) == counted["failures"]
    assert suite.find("testcase/skipped").attrib == {"message": ACCEPTED.reason}  # type: ignore[union-attr]


def test_junit_of_an_empty_report_has_the_case_that_it_was_compared(empty: Report) -> None:
    (suite,) = ElementTree.fromstring(formats.renderer("junit")(empty))
    (case,) = suite.findall("testcase")
    assert case.attrib["name"] == "compared"
    assert "2 functions" in (case.findtext("system-out") or "")


# Markdown


def test_markdown_is_in_sections_by_severity(report: Report) -> None:
    output = formats.renderer("markdown")(report)
    headings = re.findall(r"^#+ .*$", output, re.M)
    assert headings == ["# cuDNN 8.9.7 → 9.0.0", "## Breaking", "## Risks", "## Added"]
    assert "| `CUDNN_A` | `cudnnE_t` | 1 → 2 (1 is now CUDNN\\_B) |" in output
    assert (
        "- suppressed: `func-param-renamed` `cudnnG(fMode)`: positional \\<only\\> 100%" in output
    )
    assert "- unused suppression: rule `*`, name `cudnnNever`: an old story" in output


def test_markdown_tables_have_as_many_cells_in_each_row(report: Report, used: Report) -> None:
    for each in (report, used):
        for block in formats.renderer("markdown")(each).split("\n\n"):
            rows = [line for line in block.splitlines() if line.startswith("|")]
            cells = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
            assert len(cells) <= 1, block


# HTML


class Balance(HTMLParser):
    """Fails where a tag is closed that was not open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)
        for name, value in attrs:
            assert not (name in ("src", "href") and value and "//" in value), "not self-contained"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", ["report", "used", "empty"])
def test_html_is_whole_and_needs_nothing_from_elsewhere(
    name: str, request: pytest.FixtureRequest
) -> None:
    page = formats.renderer("html")(request.getfixturevalue(name))
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert "$" not in page.partition("<script>")[0].partition("</style>")[2]


def test_html_escapes_what_it_shows(used: Report) -> None:
    page = formats.renderer("html")(used)
    assert "src/a, b:c%&lt;&amp;&gt;.cu:3" in page
    assert "<&>" not in page


@pytest.fixture(scope="module")
def browser() -> str:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no chromium or google-chrome to show a page with")
    return found


def shown(browser: str, page: str, folder: Path, script: str = "") -> str:
    """The page as the browser has it after `script`."""
    path = folder / "page.html"
    path.write_text(page.replace("</body>", f"<script>{script}</script></body>"))
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"]
    done = subprocess.run(
        [browser, *flags, "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_browser_shows_and_filters_the_page(browser: str, report: Report, tmp_path: Path) -> None:
    page = formats.renderer("html")(report)
    count = len(report.findings)
    assert f"{count} of {count} shown" in shown(browser, page, tmp_path)
    search = """
        const box = document.querySelector("input[type=search]");
        box.value = "sentinel";
        box.dispatchEvent(new Event("input", {bubbles: true}));
    """
    assert f"1 of {count} shown" in shown(browser, page, tmp_path, search)
    no_python = """
        for (const axis of ["abi", "source"])
            document.querySelector(`input[value=${axis}]`).click();
        for (const severity of ["risk", "added", "info"])
            document.querySelector(`input[value=${severity}]`).click();
    """
    python = sum(i.severity == "breaking" and "python" in i.axes for i in report.findings)
    assert f"{python} of {count} shown" in shown(browser, page, tmp_path, no_python)


@pytest.mark.parametrize("width", [390, 320])
def test_a_narrow_window_needs_no_scrolling_sideways(
    browser: str, used: Report, report: Report, tmp_path: Path, width: int
) -> None:
    places = (Place("src/" + "a_long_name/" * 9 + "x.cu", 3, 7, "cudnnF_v6" * 9, "CUDA"),)
    items = tuple(msgspec.structs.replace(item, places=places) for item in report.findings)
    page = formats.renderer("html")(build(*SIDES, items=items, scan=used.uses))
    script = f"""
        const frame = document.createElement("iframe");
        frame.width = {width};
        frame.onload = () => {{
            const root = frame.contentDocument.documentElement;
            document.body.dataset.widths = `${{root.scrollWidth}} of ${{root.clientWidth}}`;
        }};
        frame.srcdoc = {json.dumps(page).replace("</", "<" + chr(92) + "/")};
        document.body.append(frame);
    """
    dom = shown(browser, "<!DOCTYPE html><body></body>", tmp_path, script)
    match = re.search(r'data-widths="(\d+) of (\d+)"', dom)
    assert match is not None, dom[:500]
    assert int(match[2]) > width - 40
    assert int(match[1]) <= int(match[2])


def test_the_timeline_s_links_are_in_no_image() -> None:
    page, picture = timeline.page(), timeline.svg()
    assert 'role="img"' not in page
    assert re.findall(r"<a (?![^>]*aria-label=)", page) == []
    assert 'role="img"' in picture
    assert "<a " not in picture


def test_advice_in_words_reads_as_words_and_a_name_as_code() -> None:
    old = api("8.9.7", functions=(function("cudnnF"), function("cudnnH"), function("cudnnG")))
    gone = (
        function("cudnnF", deprecated=True, successor="the graph API's new operations"),
        function("cudnnH", deprecated=True, successor="cudnnG"),
        function("cudnnG"),
    )
    made = build((SIDES[0][0], old), (SIDES[1][0], api("9.0.0", functions=gone)))
    text, markdown, html = (formats.renderer(f)(made) for f in ("text", "markdown", "html"))
    assert "cudnnF   use the graph API's new operations (" in text
    assert "cudnnH   use cudnnG (" in text
    assert "| the graph API's new operations |" in markdown
    assert "| `cudnnG` |" in markdown
    assert "use the graph API&#x27;s new operations</span>" in html
    assert "use <code>cudnnG</code></span>" in html
