"""Pages of the programs and notebooks in examples/, with what they printed when they ran."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from scripts.record_examples import Run, examples, recorded
from scripts.run_notebook import cells

#: Titles of programs, in the order of the list; a notebook has its own.
_TITLES = {
    "first_steps": "",
    "candidates": "",
    "convolution": "A convolution in five lines",
    "convolution_c_names": "A convolution by C names",
    "two_threads": "Two threads",
    "llama_decode": "Generate tokens",
    "torch_models": "",
    "torch_convert": "Convert a ResNet",
    "torch_training": "Train a converted network",
    "torch_lstm": "Train an LSTM",
    "torch_attention": "Attention with gradients",
    "jax_layers": "Layers in JAX",
}


def pages() -> Iterator[tuple[str, str]]:
    """Yield paths of pages and their texts.

    Raises:
        KeyError: an example has no title.
    """
    files, runs = examples(), recorded()
    rows = []
    for name in sorted(files, key=list(_TITLES).index):
        make = _notebook if files[name].suffix == ".ipynb" else _program
        title, text = make(files[name], runs.get(name))
        yield f"examples/{name}.md", f"---\norphan: true\n---\n\n# {title}\n\n{text}\n"
        rows.append(f"| [{title}]({name}.md) | `{files[name].name}` | {_ran(runs.get(name))} |")
    yield (
        "examples/index.md",
        "# Examples\n\nPrograms and notebooks of the folder `examples`, which check their own "
        "results. A page has what each\nprinted on the machine that it names. "
        "[The tutorial](../guide/tutorial.md) explains the steps.\n\n"
        "| example | file | ran on |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n",
    )


def _program(path: Path, run: Run | None) -> tuple[str, str]:
    code = path.read_text(encoding="utf-8")
    told = re.sub(r"\n+ *python examples/\S+.*", "", ast.get_docstring(ast.parse(code)) or "")
    printed = _output(run.outputs[0] or "") if run else ""
    parts = [told, _block("python", code), "## Output", _machine(run), printed]
    return _TITLES[path.stem], "\n\n".join(filter(None, parts))


def _notebook(path: Path, run: Run | None) -> tuple[str, str]:
    outputs = list(run.outputs if run else ())
    parts: list[str] = []
    for kind, text in cells(path):
        if kind != "code":
            parts.append(text)
            continue
        printed = outputs.pop(0) if outputs else ""
        parts.append(_block("python", text))
        if printed is None:  # and so are all further ones
            parts.append("*The cells from here on need a GPU, and did not run.*")
            outputs.clear()
        else:
            parts.append(_output(printed))
    title, _, first = parts[0].partition("\n")
    return title.removeprefix("# "), "\n\n".join(
        filter(None, [first.strip(), _machine(run), *parts[1:]])
    )


def _block(kind: str, text: str) -> str:
    fence = "`" * max(3, *(len(each) + 1 for each in ["", *re.findall("`{3,}", text)]))
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}"


def _output(printed: str) -> str:
    text, table, rows = printed.partition("<table>")
    parts = [f"{{.output}}\n{_block('text', text)}"] if text.strip() else []
    if table:
        styled = f'<table class="docutils align-default output">{rows}'
        parts.append(f'<div class="table-wrapper">{styled}</div>')
    return "\n\n".join(parts)


def _ran(run: Run | None) -> str:
    if run is None:
        return "no recorded run"
    gpu = run.machine.partition(",")[0]
    return f"{gpu}, its first part" if None in run.outputs else gpu


def _machine(run: Run | None) -> str:
    if run is None:
        return "No run of this program is recorded."
    text = f"The output is that of a run on: {run.machine}."
    if run.machine.startswith("no GPU") and "torch" in "".join(filter(None, run.outputs)).lower():
        text += " Without a GPU, PyTorch computes, and times are those of a CPU."
    return text
