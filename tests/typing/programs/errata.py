"""Known errors of cuDNN: lists, switches and files."""

from __future__ import annotations

import cudnn_cffi as cudnn
from cudnn_cffi.errata import Record


def told(record: Record) -> str:
    return f"{record.id}: {record.symptom} ({record.first}, {record.architectures})"


print(*map(told, cudnn.errata.records(subject="Matmul", kind="NaN", verified=True)))
with cudnn.errata.off("matmul-odd-rows", "matmul-low-address") as switched:
    print(switched, cudnn.errata.is_on("matmul-odd-rows"))
cudnn.errata.on("matmul-odd-rows")
added: tuple[Record, ...] = cudnn.errata.load("mine.json")
cudnn.errata.save("mine.json", added, format="frontend")

cudnn.errata.records(kind="nan")  # refused
cudnn.errata.records(subjects="Matmul")  # refused
cudnn.errata.save("mine.json", format="nvidia")  # refused
cudnn.errata.off(3)  # refused
text: str = cudnn.errata.load("mine.json")  # refused
