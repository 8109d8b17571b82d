"""All ways to compute the convolutions of a model, and choices of one for each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ... import errors, library
from ..._support import files
from ..._support.arguments import byte_limit
from ..._support.results import NamedTuple
from ..._support.wording import meant
from ...choice.policy import Engine, Policy, rule_for
from ...choice.record_table import Rows, format_bytes, format_html, format_table
from ...versions import version_of
from ..autograd import switches
from ..modules.base import Cudnn
from .budget import Option, best
from .survey import operation_of, survey, wants_gradients

if TYPE_CHECKING:
    from os import PathLike

    from torch import nn

    from ..._operation.candidate_rows import Candidate, Candidates
    from ..._ways.signatures import Device
    from ...choice.policy import ChoiceSettings

_SCHEMA = 1


class LayerCandidate(NamedTuple):
    """One way to compute a layer.

    Attributes:
        layer: its name.
        calls: how often the model calls it with such arrays.
        way: what `ops.candidates` tells of it.
        arrays: what it is called with, as text; a layer may be called with several kinds.
    """

    layer: str
    calls: int
    way: Candidate
    arrays: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name, those of the way among them."""
        own = {"layer": self.layer, "calls": self.calls, "arrays": self.arrays}
        return {**own, **self.way.to_dict()}


class _Way(NamedTuple):
    """A way that computes all kinds of arrays of a layer: its largest workspace, its whole time."""

    choose: ChoiceSettings
    size: int
    time: float
    deterministic: bool


def _ways(found: Iterable[LayerCandidate]) -> list[_Way]:
    """Return the timed ways of a layer and a section that compute all of its kinds of arrays."""
    kinds = {each.arrays for each in found}
    by_pick: dict[str, dict[str, LayerCandidate]] = {}
    for each in found:
        if each.way.time is not None:
            by_pick.setdefault(f"{each.way.choose}", {})[each.arrays] = each
    return [
        _Way(
            next(iter(own.values())).way.choose,
            max(each.way.workspace or 0 for each in own.values()),
            sum((each.way.time or 0.0) * each.calls for each in own.values()),
            all(each.way.deterministic for each in own.values()),
        )
        for own in by_pick.values()
        if len(own) == len(kinds)
    ]


class ModelCandidates(Rows[LayerCandidate]):
    """All ways to compute the convolutions of a model; prints as a table, in notebooks as HTML.

    Attributes:
        refusals: what does not support a layer, and why.
    """

    _columns: ClassVar[tuple[str, ...]] = (
        *("layer", "calls", "section", "via", "name", "workspace", "same bits", "time us", "knobs"),
    )
    refusals: tuple[LayerCandidate, ...] = ()

    @staticmethod
    def _cells(record: LayerCandidate) -> tuple[str, ...]:
        way = record.way
        return (
            record.layer,
            str(record.calls),
            way.section,
            way.via,
            way.name,
            format_bytes(way.workspace),
            {None: "?", True: "yes", False: "no"}[way.deterministic],
            "-" if way.time is None else f"{way.time:.2f}",
            " ".join(f"{name}={value}" for name, value in way.knobs.items()) or "-",
        )

    def of(self, layer: str, section: str = "") -> ModelCandidates:
        """Return those of one layer, and of one section of it."""

        def fits(each: LayerCandidate) -> bool:
            return each.layer == layer and section in ("", each.way.section)

        made = ModelCandidates(filter(fits, self))
        made.refusals = tuple(filter(fits, self.refusals))
        return made

    def choose(
        self,
        total: int | str | None = None,
        *,
        each: int | str | None = None,
        deterministic: bool = False,
    ) -> Choices:
        """Return the choice of a way for each layer such that the total time is least.

        A layer that is called with several kinds of arrays gets a way that computes all of them.

        Args:
            total: the most bytes of workspace of all layers together, forward and gradients: a
                number, or a text such as "64 MiB". That is for memory that each layer keeps, as in
                CUDA graphs.
            each: the most bytes of each layer by itself. Layers that run in one stream share their
                memory, so that this is what they take together.
            deterministic: whether only ways that give the same bits each time are taken.

        Raises:
            ArgumentError: the candidates were not timed; or no ways of a layer are within a limit.
        """
        limits = byte_limit(total, "total"), byte_limit(each, "each")
        groups: dict[tuple[str, str], list[LayerCandidate]] = {}
        for one in self:
            groups.setdefault((one.layer, one.way.section), []).append(one)
        options: list[list[Option]] = []
        ways: list[list[_Way]] = []
        for (layer, section), found in groups.items():
            if all(one.way.time is None for one in found):
                raise errors.ArgumentError(
                    f"the candidates of {layer}, {section}, were not timed",
                    hint="candidates(model, input, time=True)",
                )
            ways.append(_ways(found))
            own = [
                Option(way.size, way.time, place)
                for place, way in enumerate(ways[-1])
                if (way.deterministic or not deterministic)
                and (limits[1] is None or way.size <= limits[1])
            ]
            if not own:
                count = len({one.arrays for one in found})
                all_of = f", for all of {count} kinds of arrays" if count > 1 else ""
                raise errors.ArgumentError(
                    f"{layer}, {section}: none of {len(found)} candidates is within the limits"
                    f"{all_of}"
                )
            options.append(own)
        places = best(options, limits[0])
        if places is None:
            least = sum(min(one.size for one in own) for own in options)
            raise errors.ArgumentError(f"total: expected at least {least} bytes, got {limits[0]}")
        picks: dict[str, dict[str, ChoiceSettings]] = {}
        chosen = []
        for (layer, section), known, place in zip(groups, ways, places, strict=True):
            picks.setdefault(layer, {})[section] = known[place].choose
            chosen.append(known[place])
        return Choices(
            picks,
            time=sum(way.time for way in chosen),
            workspace=sum(way.size for way in chosen),
        )


class Choices:
    """Choices for the convolutions of a model, for models that `convert` changed.

    Attributes:
        layers: for each name of a layer, and each of "forward", "data" and "filter", what picks a
            way: `{"engine": 41, "knobs": {...}}`, or `{"pick": "ALGO_1", "via": "classic"}`.
        time: microseconds of all; None where it is not known.
        workspace: bytes of all together; None where it is not known.
        release: of cuDNN, in which engines have these numbers.
    """

    def __init__(
        self,
        layers: Mapping[str, Mapping[str, object]],
        *,
        time: float | None = None,
        workspace: int | None = None,
        release: str | int | None = None,
    ) -> None:
        self.layers: dict[str, dict[str, Any]] = {
            name: dict(sections) for name, sections in layers.items()
        }
        self.time = time
        self.workspace = workspace
        self.release = version_of(release) if release else library.load().version

    def apply(self, model: nn.Module) -> None:
        """Apply the choices to the modules of a converted model: sets their `choose`.

        Layers that are not among the choices stay as they are.

        Raises:
            ArgumentError: there is no such module, or it is not this package's.
            VersionMismatchError: another release of cuDNN is loaded.
        """
        loaded = library.load().version
        if self.release != loaded:
            raise errors.VersionMismatchError(
                f"expected choices for cuDNN {loaded}, got those for {self.release}",
                hint="engine numbers are valid for one release only",
            )
        modules = dict(model.named_modules())
        made = []
        for name, sections in self.layers.items():
            module = modules.get(name)
            if not isinstance(module, Cudnn):
                if module is None:
                    raise errors.ArgumentError(
                        f"the model has no module {name!r}",
                        hint=f"{meant(name, modules)}are the choices those of another model?",
                    )
                got = f"a {type(module).__name__}"
                raise errors.ArgumentError(
                    f"{name}: expected a converted module, got {got}",
                    hint="cudnn_cffi.torch.convert(model)",
                )
            made.append((name, module, Policy.of(**sections)))
        for name, module, policy in made:
            module._name_as(name)
            module.choose = policy

    @classmethod
    def of(cls, model: nn.Module) -> Choices:
        """Return what was chosen for the modules of a model."""
        found: dict[str, dict[str, Any]] = {}
        for name, module in model.named_modules():
            if isinstance(module, Cudnn) and module.choose is not None:
                found[name] = _sections(Policy.of(module.choose))
        return cls(found)

    def to_json(self) -> str:
        """Return the choices as JSON."""
        fields = {"schema": _SCHEMA, **vars(self)}
        return json.dumps(fields, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Choices:
        """Return choices of what `to_json` wrote.

        Raises:
            ArgumentError: the text is damaged, or something else.
        """
        try:
            fields = json.loads(text)
            if fields.pop("schema") != _SCHEMA:
                raise errors.ArgumentError("choices: they were written by another version")
            made = cls(fields.pop("layers"), **fields)
            for sections in made.layers.values():
                Policy.of(**sections)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, errors.CudnnError):
                raise
            raise errors.ArgumentError(f"choices: the text is damaged: {error}") from error
        return made

    def save(self, path: str | PathLike[str]) -> None:
        """Write the choices to a file, which is replaced as a whole.

        Raises:
            OSError: the file cannot be written.
        """
        files.replace(Path(path), self.to_json().encode(), mode=0o666)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Choices:
        """Return the choices of a file.

        Raises:
            ArgumentError: it is damaged, or something else.
            OSError: it cannot be read, or is no regular file.
        """
        return cls.from_json(files.read(path).decode())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Choices):
            return NotImplemented
        return (self.layers, self.release) == (other.layers, other.release)

    __hash__ = None  # type: ignore[assignment]

    def _rows(self) -> list[tuple[str, str, str]]:
        return [
            (name, section, ", ".join(f"{key}={value}" for key, value in pick.items()))
            for name, sections in self.layers.items()
            for section, pick in sections.items()
        ]

    def _sum(self) -> str:
        if self.time is None:
            return ""
        return f"{self.time:.1f} us, workspace {format_bytes(self.workspace)} in all"

    def __repr__(self) -> str:
        return f"{format_table(_COLUMNS, self._rows())}\n{self._sum()}".rstrip("\n")

    def _repr_html_(self) -> str:
        return f"{format_html(_COLUMNS, self._rows())}<p>{self._sum()}</p>"


_COLUMNS = ("layer", "section", "choice")


def _sections(policy: Policy) -> dict[str, Any]:
    """Return what a policy says, as plain values."""
    found: dict[str, Any] = {}
    for section in ("forward", "data", "filter", "recurrent"):
        rule = getattr(policy, section)
        said = {name: v for name, v in rule._asdict().items() if v is not None}
        pick = said.get("pick")
        if isinstance(pick, Engine):
            del said["pick"]
            said |= {"engine": pick.number, "knobs": dict(pick.knobs)}
        if said:
            found[section] = said
    return found


def candidates(
    model: nn.Module,
    *inputs: object,
    gradients: bool | None = None,
    time: bool = False,
    seconds: float = 2.0,
    device: Device | None = None,
    kwargs: Mapping[str, object] | None = None,
    layers: Iterable[str] | None = None,
) -> ModelCandidates:
    """Return every engine and classic algorithm for each convolution of a model.

    A transposed convolution is computed as a gradient: its section is "data", and that of the
    gradient for its input is "forward", as its choice has them, too.

    The model is called once, to see what its layers are called with. Nothing is compiled, unless
    `time` asks for it. Layers that compute the same are looked at once. Candidates that PyTorch's
    switches do not allow now (`torch.backends.cudnn.allow_tf32`, `deterministic`) are among the
    refusals.

    Args:
        model: any module; it stays as it is.
        inputs: what it is called with.
        gradients: whether to list gradients for data and filters, too; by default if the model is
            being trained. A layer that reads an input of the model has no gradient for data.
        time: whether to time what is supported, and check its numbers.
        seconds: how long to time each operation, at most.
        device: properties of a device that need not be there, such as "H200"; the model may be on
            the CPU then.
        kwargs: further arguments of the call.
        layers: the names of the layers to look at; by default all.

    Raises:
        ArgumentError: the model has no convolution, or no such layer; or it is on the CPU and no
            device was named.
    """
    wanted = None if layers is None else set(layers)
    found = [each for each in survey(model, inputs, kwargs) if each.is_convolution]
    names = {each.name for each in found}
    if wanted is not None and not wanted <= names:
        raise errors.ArgumentError(f"layers: {sorted(wanted - names)[0]!r} is not a convolution")
    if not found:
        raise errors.ArgumentError("model: it calls no convolution")
    if gradients is None:
        gradients = wants_gradients(model)
    rule = rule_for("forward", behind=switches.policy())  # the policy after a layer's own choice
    known: dict[object, Candidates] = {}
    rows: list[LayerCandidate] = []
    refused: list[LayerCandidate] = []
    for layer in found:
        if wanted is not None and layer.name not in wanted:
            continue
        if layer.device is None and device is None:
            raise errors.ArgumentError(
                f"{layer.name}: it is on the CPU", hint='device="H200", or a model on a GPU'
            )
        operation = operation_of(layer)
        key = repr(operation), layer.arrays
        if key not in known:
            known[key] = operation.candidates(
                *layer.arrays, gradients=gradients, time=time, device=device, seconds=seconds,
                rule=rule,
            )  # fmt: skip
        for way in known[key]:
            if not layer.wants(way.section):
                continue
            (rows if way.supported else refused).append(
                LayerCandidate(layer.name, layer.calls, way, ", ".join(map(str, layer.arrays)))
            )
    made = ModelCandidates(rows)
    made.refusals = tuple(refused)
    return made
