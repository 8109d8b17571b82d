"""JUnit XML, for a CI server: a finding is a test case, failed if it decides the exit status."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ..records import Item, Report
from ..rules import SEVERITIES
from . import words

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    """Return the report as JUnit's XML."""
    limit = -1 if report.fail_on == "never" else SEVERITIES.index(report.fail_on)
    name = f"cuDNN API {report.old.version} to {report.new.version}"
    suite = ElementTree.Element("testsuite", name=name)
    done = ElementTree.SubElement(suite, "testcase", classname="cudnn_cffi.diff", name="compared")
    read = [words.scanned(report), *words.warnings(report)] if report.uses else []
    said = "\n".join([words.compared(report), *read])
    ElementTree.SubElement(done, "system-out").text = _cleaned(said)
    failures = skipped = 0
    for item in report.findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname=item.rule, name=_cleaned(item.subject)
        )
        if item.suppressed is not None:
            skipped += 1
            ElementTree.SubElement(case, "skipped", message=_cleaned(item.suppressed))
        elif SEVERITIES.index(item.severity) <= limit:
            failures += 1
            failure = ElementTree.SubElement(
                case, "failure", type=item.severity, message=_cleaned(words.message(item))
            )
            failure.text = _detail(item)
        else:
            output = ElementTree.SubElement(case, "system-out")
            output.text = f"{item.severity}: {_cleaned(words.message(item))}\n{_detail(item)}"
    for attribute, count in (
        ("tests", len(report.findings) + 1),
        ("failures", failures),
        ("skipped", skipped),
        ("errors", 0),
    ):
        suite.set(attribute, str(count))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _detail(item: Item) -> str:
    return "\n".join(_cleaned(f"{place.spelled}: {place.text}") for place in item.places)


def _cleaned(text: str) -> str:
    return _NOT_XML.sub("?", text)
