"""The settings of the front door, such as `cudnn_cffi.benchmark = True`.

They are the words that people know from other packages, and set what operations do by default in
this process: `cudnn_cffi.choice.set_default` says more, and scopes and calls override both.
"""

from __future__ import annotations

import sys

from . import errors
from .choice import policy
from .choice.policy import Policy, Rule
from .choice.policy_words import SECTIONS, to_pick

#: The sections of each setting that names an algorithm.
_ALGORITHMS = {
    "algo_bwd": ("data", "filter"),
    "algo_bwd_data": ("data",),
    "algo_bwd_filter": ("filter",),
    "algo_fwd": ("forward",),
    "conv_bwd_data_algo": ("data",),
    "conv_bwd_filter_algo": ("filter",),
    "conv_fwd_algo": ("forward",),
}

_TIMED = ("time", "time_once")

#: Choices of the fastest whatever workspace it needs, by a guess or by timing.
_FASTEST = (None, "heuristic", *_TIMED)


def read(name: str) -> str | int | bool | None:
    """Return the value of a setting, as the default of the process has it."""
    if name == "verbose":
        from ._operation import recording

        return recording.verbose()
    rules = policy.default_policy()
    if name in _ALGORITHMS:
        picks = {getattr(rules, section).pick for section in _ALGORITHMS[name]}
        return picks.pop() if len(picks) == 1 else None
    if name == "benchmark":
        return all(each.pick in _TIMED for each in rules)
    if name == "deterministic":
        return all(each.deterministic is True for each in rules)
    if name == "allow_tf32":
        return all(each.tf32 is not False for each in rules)
    return all(each.workspace_limit == -1 and each.pick in _FASTEST for each in rules)


def assign(name: str, value: object) -> None:
    """Set the default of the process that a setting stands for.

    Raises:
        ArgumentError: the value is not one of the setting.
    """
    if name in _ALGORITHMS:
        picks = {section: to_pick(value, section)[0] for section in _ALGORITHMS[name]}
        policy.change_default(
            lambda rules: rules._replace(
                **{one: getattr(rules, one)._replace(pick=pick) for one, pick in picks.items()}
            )
        )
        _tell(name)
        return
    if not isinstance(value, bool):
        raise errors.ArgumentError(f"{name}: expected True or False, got {value!r}")
    if name == "verbose":
        from ._operation import recording

        recording.set_verbose(value)
        return
    policy.change_default(lambda rules: Policy(*[_changed(name, value, each) for each in rules]))


def _tell(name: str) -> None:
    """Write the algorithm that a setting has now to the log, if `verbose` is on."""
    recording = sys.modules.get(f"{__package__}._operation.recording")
    if recording is not None and recording.verbose():
        recording.write(f"{name} set to {read(name)}")


def _changed(name: str, on: bool, rule: Rule) -> Rule:
    if name == "benchmark":
        if on:
            return rule._replace(pick="time")
        return rule._replace(pick=None) if rule.pick in _TIMED else rule
    if name == "deterministic":
        return rule._replace(deterministic=True if on else None)
    if name == "allow_tf32":
        return rule._replace(tf32=None if on else False)
    # The last one is "fastest", which goes with "benchmark".
    pick = rule.pick if rule.pick in _TIMED else "heuristic" if on else None
    if on:
        return rule._replace(pick=pick, workspace_limit=-1)
    return rule._replace(pick=pick, workspace_limit=None) if rule.workspace_limit == -1 else rule


assert len(SECTIONS) == len(Policy())
