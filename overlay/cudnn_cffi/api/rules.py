"""Rules for changes: one for each kind, with a stable ID.

Three axes, because one change does not hurt everybody:

- abi: a program compiled against the old headers, run with the new library, not rebuilt.
- source: the same program compiled again, with the new headers.
- python: a program that uses this package, which picks the tables of the library it finds; names
  and argument lists count, values do not.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

import msgspec

Severity = Literal["breaking", "risk", "added", "info"]
Axis = Literal["abi", "source", "python"]

#: Worst first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
AXES: tuple[Axis, ...] = get_args(Axis)


class Rule(msgspec.Struct, frozen=True):
    """A kind of change, and how severe it is on each axis."""

    id: str
    abi: Severity | None
    source: Severity | None
    python: Severity | None
    title: str  # what happened, as the heading of a list of names
    reason: str
    advice: str

    @property
    def one(self) -> str:
        """The title for a single finding: "Functions removed" is "function removed"."""
        title = self.title[0].lower() + self.title[1:]
        return _PLURAL.sub(lambda noun: _ONE.get(noun[0], noun[0][:-1]), title, count=1)

    def severity(self, axes: tuple[Axis, ...] = AXES) -> Severity | None:
        """Return the worst on `axes`; None if the change means nothing there."""
        found = {getattr(self, axis) for axis in axes}
        return next((severity for severity in SEVERITIES if severity in found), None)


_PLURAL = re.compile(r"\b\w+s\b")
_ONE = {"libraries": "library"}

_B: Severity = "breaking"
_R: Severity = "risk"
_A: Severity = "added"
_I: Severity = "info"

_ALL: tuple[Rule, ...] = (
    # Functions
    Rule(
        "func-removed", _B, _B, _B,
        "Functions removed",
        "The symbol is gone: it does not link, does not compile, and raises in Python.",
        "Call the successor, or keep this call for the releases that have it.",
    ),
    Rule(
        "func-added", _A, _A, _A,
        "Functions added",
        "A new symbol; older releases do not have it.",
        "Check the version before calling it, if older releases must work too.",
    ),
    Rule(
        "func-result-changed", _B, _B, _B,
        "Functions with another result",
        "Callers read a result of another type.",
        "Change the callers and rebuild.",
    ),
    Rule(
        "func-param-added", _B, _B, _B,
        "Parameters added",
        "Compiled callers pass too few arguments; sources no longer compile.",
        "Pass the new argument and rebuild.",
    ),
    Rule(
        "func-param-removed", _B, _B, _B,
        "Parameters removed",
        "Compiled callers pass too many arguments; sources no longer compile.",
        "Drop the argument and rebuild.",
    ),
    Rule(
        "func-params-reordered", _B, _B, _B,
        "Parameters in another order",
        "Arguments arrive in the wrong place, without an error where the types agree.",
        "Reorder the arguments of every call and rebuild.",
    ),
    Rule(
        "func-param-type-changed", _B, _B, _R,
        "Parameters of another type",
        "Compiled callers pass an argument of another size or meaning.",
        "Change the argument and rebuild; in Python, check what the call now accepts.",
    ),
    Rule(
        "func-param-const-changed", None, _R, None,
        "Parameters with another const",
        "Only what a pointer points to became const, or is no longer: C++ and strict C notice.",
        "Rebuild, and add or drop const where the compiler asks.",
    ),
    Rule(
        "func-param-memory-changed", _B, _B, _B,
        "Parameters in other memory",
        "The pointer must now be to device memory, or to host memory.",
        "Move the data before the call.",
    ),
    Rule(
        "func-param-direction-changed", _R, _R, _B,
        "Parameters with another direction",
        "An input became an output, or the reverse: Python's arguments and results differ.",
        "Change what the call is given and what is taken from it.",
    ),
    Rule(
        "func-param-renamed", None, _I, _I,
        "Parameters renamed",
        "C ignores parameter names; in Python the newest is the keyword with every release.",
        "Nothing to do.",
    ),
    Rule(
        "func-keyword-changed", None, None, _B,
        "Parameters with another keyword",
        "The function has another wrapper in Python, where the parameter has another keyword.",
        "Use the new keyword, or pass the argument by position.",
    ),
    Rule(
        "func-param-role-changed", None, None, _R,
        "Parameters used otherwise",
        "The wrapper converts or counts this argument in another way.",
        "Check what is passed in Python.",
    ),
    Rule(
        "func-deprecated", None, _R, _I,
        "Functions deprecated",
        "With CUDNN_WARN_DEPRECATED compilers warn; a later release may remove it.",
        "Move to the successor while both are there.",
    ),
    # Enumerations
    Rule(
        "enum-removed", None, _B, _B,
        "Enumerations removed",
        "The type's name is gone, in C and as a class in Python.",
        "Use the type that replaces it.",
    ),
    Rule(
        "enum-added", None, _A, _A,
        "Enumerations added",
        "A new type; older releases do not have it.",
        "Check the version before using it, if older releases must work too.",
    ),
    Rule(
        "enumerator-removed", _R, _B, _B,
        "Enumerators removed",
        "The name is gone and its number has no name; the library may refuse the number.",
        "Stop using it.",
    ),
    Rule(
        "enumerator-renamed", _R, _B, _B,
        "Enumerators whose number has a new name",
        "The name is gone and its number belongs to a new name: renamed, or given away.",
        "Read what the new name means, then use it.",
    ),
    Rule(
        "enumerator-alias-removed", None, _B, _B,
        "Second names removed",
        "One of several names of a number is gone; the number still has the others.",
        "Use another name of the same number.",
    ),
    Rule(
        "enumerator-value-changed", _B, _I, _I,
        "Enumerators with another value",
        "Compiled programs pass and compare the old number, which now means something else.",
        "Rebuild. Store names, not numbers; in Python do not use the tables of another release.",
    ),
    Rule(
        "enum-sentinel-moved", _R, _R, _I,
        "Sentinels moved",
        "Arrays sized by it, loops up to it and tables indexed by an enumerator depend on it.",
        "Check what is sized or bounded by it; rebuild.",
    ),
    Rule(
        "enumerator-moved", None, _R, _B,
        "Enumerators of another enumeration",
        "C++ sees another type; in Python it is a member of another class.",
        "Use it with the type that has it now.",
    ),
    Rule(
        "enumerator-now-macro", None, _R, _B,
        "Enumerators that became macros",
        "The name is still there but has no enumeration type, and no class in Python.",
        "Use it as a plain integer.",
    ),
    Rule(
        "macro-now-enumerator", None, _R, _R,
        "Macros that became enumerators",
        "The name has a type now; #ifdef no longer sees it.",
        "Test the version instead of the name.",
    ),
    Rule(
        "enumerator-added", _A, _A, _A,
        "Enumerators added",
        "A new name; the library may return its number to programs that do not know it.",
        "Give switch statements a default.",
    ),
    Rule(
        "enumerator-alias-added", None, _A, _A,
        "Second names added",
        "A new name for a number that has one already.",
        "Use either.",
    ),
    Rule(
        "enumerator-deprecated", None, _R, _I,
        "Enumerators deprecated",
        "With CUDNN_WARN_DEPRECATED compilers warn; a later release may remove it.",
        "Stop using it.",
    ),
    # Macros
    Rule(
        "constant-removed", None, _B, _B,
        "Constants removed",
        "The macro is gone; #if silently reads it as 0.",
        "Use what replaces it.",
    ),
    Rule(
        "constant-added", None, _A, _A,
        "Constants added",
        "A new macro; older releases do not have it.",
        "Check that it is defined, if older releases must work too.",
    ),
    Rule(
        "constant-value-changed", _R, _I, _I,
        "Constants with another value",
        "Compiled programs keep the old value.",
        "Rebuild; check what is sized or bounded by it.",
    ),
    Rule(
        "flag-removed", _R, _B, _B,
        "Flags removed",
        "The macro is gone, and with it the member of the flag class in Python.",
        "Stop setting it.",
    ),
    Rule(
        "flag-added", _A, _A, _A,
        "Flags added",
        "A new bit.",
        "Check that it is defined, if older releases must work too.",
    ),
    Rule(
        "flag-value-changed", _B, _I, _I,
        "Flags with another bit",
        "Compiled programs set another bit than they mean.",
        "Rebuild.",
    ),
    Rule(
        "flag-regrouped", None, None, _B,
        "Flags in another set",
        "C has no set of flags; in Python the member is in another class.",
        "Use the class that has it now.",
    ),
    Rule(
        "macro-removed", None, _B, None,
        "Function-like macros removed",
        "The macro is gone.",
        "Write out what it did.",
    ),
    Rule(
        "macro-added", None, _A, None,
        "Function-like macros added",
        "A new macro.",
        "Check that it is defined, if older releases must work too.",
    ),
    Rule(
        "macro-changed", _R, _R, None,
        "Function-like macros changed",
        "It expands to something else, or takes other parameters; compiled programs keep the old.",
        "Check its uses and rebuild.",
    ),
    Rule(
        "version-macro-removed", None, _B, None,
        "Version macros removed",
        "The macro is gone; #if silently reads it as 0.",
        "Test CUDNN_VERSION, or CUDNN_MAJOR, CUDNN_MINOR and CUDNN_PATCHLEVEL.",
    ),
    Rule(
        "version-macro-added", None, _A, None,
        "Version macros added",
        "A new macro; older releases do not have it.",
        "Test CUDNN_VERSION, which every release has.",
    ),
    Rule(
        "version-formula-changed", _R, _B, _B,
        "Version numbers with another formula",
        "Code that divides CUDNN_VERSION or cudnnGetVersion() into its parts gets wrong parts.",
        "Use CUDNN_MAJOR and CUDNN_MINOR, or cudnnGetProperty; or divide by each major's formula.",
    ),
    # Structs and unions
    Rule(
        "record-removed", _B, _B, _B,
        "Structs removed",
        "The type is gone, and with it what passed it.",
        "Use what replaces it.",
    ),
    Rule(
        "record-added", None, _A, _A,
        "Structs added",
        "A new type; older releases do not have it.",
        "Check the version before using it, if older releases must work too.",
    ),
    Rule(
        "record-size-changed", _B, _I, _I,
        "Structs of another size",
        "The library reads past what compiled programs have, or writes there unless it is const.",
        "Rebuild everything that has one.",
    ),
    Rule(
        "field-added", None, _R, _A,
        "Members added",
        "Positional initialisers and code that sets every member miss it.",
        "Initialise by name, or clear the whole struct first.",
    ),
    Rule(
        "field-removed", _B, _B, _B,
        "Members removed",
        "Readers and writers of the member find something else, or nothing.",
        "Stop using it.",
    ),
    Rule(
        "field-renamed", None, _B, _B,
        "Members renamed",
        "The same place and type has another name.",
        "Use the new name.",
    ),
    Rule(
        "field-moved", _B, None, None,
        "Members at another offset",
        "Compiled programs read and write at the old offset.",
        "Rebuild everything that uses the struct.",
    ),
    Rule(
        "field-type-changed", _B, _R, _R,
        "Members of another type",
        "Compiled programs read and write another type.",
        "Check conversions and rebuild.",
    ),
    Rule(
        "record-tag-changed", None, _R, None,
        "Struct tags changed",
        "Forward declarations with the old tag, and C++ names made from it, no longer match.",
        "Include the header instead of declaring the struct; rebuild C++.",
    ),
    # Other types
    Rule(
        "opaque-removed", None, _B, _B,
        "Object types removed",
        "The type's name is gone, and in Python the class of its objects.",
        "Use what replaces it.",
    ),
    Rule(
        "opaque-added", None, _A, _A,
        "Object types added",
        "A new type; older releases do not have it.",
        "Check the version before using it, if older releases must work too.",
    ),
    Rule(
        "opaque-changed", None, _R, None,
        "Object types with another target",
        "Forward declarations with the old tag, and C++ names made from it, no longer match.",
        "Include the header instead of declaring the struct; rebuild C++.",
    ),
    Rule(
        "callback-removed", None, _B, None,
        "Callback types removed",
        "The type's name is gone.",
        "Use what replaces it.",
    ),
    Rule(
        "callback-added", None, _A, None,
        "Callback types added",
        "A new type; older releases do not have it.",
        "Check the version before using it, if older releases must work too.",
    ),
    Rule(
        "callback-changed", _B, _B, _B,
        "Callbacks called differently",
        "The library calls back with other arguments, or expects another result.",
        "Change the callback and rebuild.",
    ),
    Rule(
        "typedef-removed", None, _B, None,
        "Type names removed",
        "The name is gone.",
        "Use what replaces it.",
    ),
    Rule(
        "typedef-added", None, _A, None,
        "Type names added",
        "A new name for a type.",
        "Check the version before using it, if older releases must work too.",
    ),
    Rule(
        "typedef-changed", _B, _R, _R,
        "Type names of another type",
        "Compiled programs use another size or sign.",
        "Check conversions and rebuild.",
    ),
    Rule(
        "type-deprecated", None, _R, _I,
        "Types deprecated",
        "With CUDNN_WARN_DEPRECATED compilers warn; a later release may remove it.",
        "Move away from it while it is there.",
    ),
    Rule(
        "name-deprecated-in-comment", None, _I, _I,
        "Names that a comment alone deprecates",
        "A comment in the header says so, no compiler warns; a later release may remove it.",
        "Move away from it while it is there.",
    ),
    Rule(
        "deprecation-withdrawn", None, _I, _I,
        "Deprecations withdrawn",
        "It is no longer marked as deprecated.",
        "Nothing to do.",
    ),
    Rule(
        "kind-changed", _R, _B, _B,
        "Names of another kind",
        "The name is still there but is something else, for example a macro instead of a function.",
        "Look at every use.",
    ),
    # Headers and libraries
    Rule(
        "header-removed", None, _B, None,
        "Headers removed",
        "#include of it fails.",
        "Include cudnn.h, which reaches every other header.",
    ),
    Rule(
        "header-added", None, _A, None,
        "Headers added",
        "A new header; older releases do not have it.",
        "Include cudnn.h, which reaches every other header.",
    ),
    Rule(
        "include-insufficient", None, _B, None,
        "Headers with a shorter reach",
        "Names of this header need another #include.",
        "Include cudnn.h, which reaches every other header.",
    ),
    Rule(
        "declaration-moved", None, _I, None,
        "Declarations in another header",
        "It is declared elsewhere; programs that include cudnn.h do not notice.",
        "Include cudnn.h, which reaches every other header.",
    ),
    Rule(
        "symbol-moved", _R, None, None,
        "Symbols in another sub-library",
        "Programs that link or load the sub-library itself do not find it there.",
        "Link libcudnn, which forwards to all of them.",
    ),
    Rule(
        "library-renamed", _B, _I, None,
        "Libraries with another name",
        "The major version is part of the file name: the loader does not find the new one.",
        "Link again with the new library.",
    ),
    Rule(
        "library-removed", _B, _R, None,
        "Libraries removed",
        "Programs that link or load this library itself do not start, or do not find it.",
        "Link libcudnn, which loads all the others; do not ship the file.",
    ),
    Rule(
        "library-added", _A, None, None,
        "Libraries added",
        "A new file of the release, which libcudnn may load.",
        "Ship it, where cuDNN's files are shipped or chosen by name.",
    ),
    Rule(
        "undeclared-removed", _R, _R, None,
        "Functions that no header declares, no longer exported",
        "Programs that declare such a function themselves do not start, or do not link.",
        "Use functions that a header declares: cuDNN promises nothing of others.",
    ),
    Rule(
        "undeclared-added", _I, None, None,
        "Functions that no header declares, newly exported",
        "The file has a symbol that cuDNN says nothing of.",
        "Nothing to do; wait for a header that declares it.",
    ),
    # Backend attributes
    Rule(
        "attribute-type-changed", _B, _B, _R,
        "Backend attributes of another type",
        "Setting or getting it with the old type is answered by CUDNN_STATUS_BAD_PARAM.",
        "Pass the type that it takes now.",
    ),
    Rule(
        "attribute-type-added", _A, _A, _A,
        "Backend attributes with more types",
        "All types that it took are still taken.",
        "Nothing to do.",
    ),
    Rule(
        "attribute-owner-changed", _B, _B, _B,
        "Backend attributes of another descriptor",
        "The descriptor that had it refuses it.",
        "Set it on the descriptor that has it now.",
    ),
    Rule(
        "attribute-access-changed", _R, _R, _R,
        "Backend attributes that can no longer be set, or read",
        "Setting or getting it may be refused.",
        "Check the status of the call.",
    ),
    # The schema of descriptors that libraries tell
    Rule(
        "attribute-added-required", _B, _B, _B,
        "New backend attributes that must be set",
        "cudnnBackendFinalize refuses a descriptor, or a graph with the operation, without it.",
        "Set it wherever the descriptor is made.",
    ),
    Rule(
        "attribute-now-required", _R, _R, _R,
        "Backend attributes that must be set now",
        "cudnnBackendFinalize checks it now; whether it did without before, no library tells.",
        "Set it wherever the descriptor is made.",
    ),
    Rule(
        "attribute-not-required", _A, _A, _A,
        "Backend attributes that need not be set any more",
        "cudnnBackendFinalize takes a descriptor without it.",
        "Go on setting it, if older releases must work too.",
    ),
    Rule(
        "attribute-default-changed", _R, _R, _R,
        "Backend attributes with another default",
        "A descriptor that leaves it unset means something else.",
        "Set the value that is meant.",
    ),
    Rule(
        "attribute-target-changed", _B, _B, _B,
        "Backend attributes that hold another type of descriptor",
        "The library seldom checks the type: a wrong one crashes it or is read as garbage.",
        "Pass a descriptor of the type that it holds now.",
    ),
    Rule(
        "attribute-count-lowered", _B, _B, _B,
        "Backend attributes that take fewer elements",
        "A list that was taken is refused.",
        "Pass no more elements than it takes now.",
    ),
    Rule(
        "attribute-count-raised", _A, _A, _A,
        "Backend attributes that take more elements",
        "All lists that were taken are still taken.",
        "Nothing to do.",
    ),
    # This package
    Rule(
        "tables-outdated", None, None, _R,
        "Pinned tables",
        "Values or layouts differ, so the tables of one release are wrong for the other.",
        "Import cudnn_cffi, which picks the tables by the library; do not pin a release.",
    ),
)  # fmt: skip

#: By ID, in the order in which reports list them.
RULES: dict[str, Rule] = {rule.id: rule for rule in _ALL}
