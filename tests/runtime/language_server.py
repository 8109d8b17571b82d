"""The view of an editor: a client of pyright's language server, for one question at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self


class LanguageServer:
    """A server that looks at the packages of one Python."""

    def __init__(self, folder: Path, python: Path) -> None:
        self._python = str(python)
        self._folder = folder
        self._ids = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pyright.langserver", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        root = folder.as_uri()
        self._ask(
            "initialize",
            processId=None,
            rootUri=root,
            capabilities={"workspace": {"configuration": True, "workspaceFolders": True}},
            workspaceFolders=[{"uri": root, "name": "test"}],
        )
        self._send(method="initialized", params={})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def completions(self, text: str) -> list[str]:
        """The completions at the end of a program."""
        uri = (self._folder / f"program_{self._ids}.py").as_uri()
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self._send(method="textDocument/didOpen", params={"textDocument": document})
        lines = text.split("\n")
        answer = self._ask(
            "textDocument/completion",
            textDocument={"uri": uri},
            position={"line": len(lines) - 1, "character": len(lines[-1])},
        )
        items = answer["items"] if isinstance(answer, dict) else answer or []
        return [item["label"] for item in items]

    def _ask(self, method: str, **params: Any) -> Any:
        self._ids += 1
        number = self._ids
        self._send(id=number, method=method, params=params)
        while True:
            message = self._read()
            if "method" not in message and message.get("id") == number:
                assert "error" not in message, message["error"]
                return message["result"]
            if "id" in message:  # it asks for its settings
                asked = message.get("params", {}).get("items", [])
                answer = [
                    {"pythonPath": self._python} if item.get("section") == "python" else {}
                    for item in asked
                ]
                self._send(id=message["id"], result=answer)

    def _send(self, **message: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _read(self) -> Any:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the language server ended"
        return json.loads(stream.read(length))
