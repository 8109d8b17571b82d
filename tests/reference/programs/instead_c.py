"""Prints a C file with each block of "From 8 to 9" in a function of its own."""

from __future__ import annotations

from reference import upgrade
from reference.records import Models

models = Models()
removed, deprecated = upgrade.items(models)
groups = [*upgrade.groups(models, removed), *upgrade.groups(models, deprecated)]
print("#include <stdbool.h>\n#include <stdint.h>\n#include <cudnn.h>")
print(upgrade.WHOLE)
for number, group in enumerate(groups):
    if group.c:
        parameters = ", ".join(dict.fromkeys(group.takes)) or "void"
        body = "\n".join(f"    {line}" for line in group.c.splitlines())
        print(f"\n/* {group.title} */\nvoid block{number}({parameters}) {{\n{body}\n}}")
