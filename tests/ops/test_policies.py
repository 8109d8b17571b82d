"""Policies: their words, what overrides what, and what is refused."""

from __future__ import annotations

import io
import logging
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import cudnn_cffi as cudnn
import pytest
from cudnn_cffi import errors
from cudnn_cffi._operation import way_search
from cudnn_cffi.choice import policy, policy_words
from cudnn_cffi.choice.policy import Engine, Policy, Rule, rule_for

choice: Any = cudnn.choice


@pytest.fixture(autouse=True)
def untouched() -> Iterator[None]:
    old = list(policy._process)
    policy._process[:] = [Policy()]
    yield
    policy._process[:] = old


@pytest.mark.parametrize("word", policy_words.WORDS)
def test_words_mean_themselves_in_every_section(word: str) -> None:
    assert [rule.pick for rule in Policy.of(word)] == [word] * len(policy_words.SECTIONS)
    assert Policy.of(word.upper().replace("_", "-").lower()) == Policy.of(word)


@pytest.mark.parametrize(
    ("word", "pick"),
    [
        ("guess_once", "heuristic_once"),
        ("guess_on_shape_change", "heuristic"),
        ("time_on_shape_change", "time"),
        ("benchmark", "time"),
        ("autotune", "time"),
    ],
)
def test_words_of_others(word: str, pick: str) -> None:
    assert Policy.of(word).forward.pick == pick


def test_algorithms_belong_to_sections() -> None:
    found = Policy.of("IMPLICIT_GEMM")
    assert [rule.pick for rule in found] == ["IMPLICIT_GEMM", None, None, None]
    assert [rule.pick for rule in Policy.of("ALGO_1")] == [None, "ALGO_1", "ALGO_1", None]
    assert [rule.pick for rule in Policy.of("implicit_gemm")] == ["IMPLICIT_GEMM", None, None, None]
    assert Policy.of("CUDNN_CONVOLUTION_BWD_DATA_ALGO_1").data.pick == "ALGO_1"
    assert Policy.of("CUDNN_CONVOLUTION_FWD_ALGO_GEMM").forward.pick == "GEMM"
    found = Policy.of(cudnn.ConvolutionFwdAlgo.FFT)
    assert [rule.pick for rule in found] == ["FFT", None, None, None]
    # Capitals name the algorithm; the word may be done by another.
    assert Policy.of("FFT").forward.pick == "FFT"
    assert Policy.of("fft").forward.pick == "fft"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"value": "fastest"}, "neither a word"),
        ({"value": 3}, "may be an engine or an algorithm"),
        ({"data": "IMPLICIT_GEMM"}, "choice of data"),
        ({"forward": "ALGO_1"}, "choice of forward"),
        ({"tf32": 1}, "tf32: expected True or False"),
        ({"via": "magic"}, '"graph" or "classic"'),
        ({"workspace_limit": -2}, "a number of bytes"),
        ({"workspace_limit": "much"}, "a number of bytes"),
        ({"workspace_limit": "0%"}, "from 1% to 100%"),
        ({"workspace_limit": "101 %"}, "from 1% to 100%"),
        ({"workspace_limit": "2.5%"}, "from 1% to 100%"),
        ({"engine": "a"}, "expected an index"),
        ({"value": Engine("a")}, "expected an index"),  # type: ignore[arg-type]
        ({"value": Engine(3, "TILE")}, "knobs: expected whole numbers"),  # type: ignore[arg-type]
        ({"value": Engine(3, {"TILE": "2"})}, "knobs: expected whole"),  # type: ignore[arg-type]
        ({"value": cudnn.choice("time")}, "expected a pick or a mapping of settings, got a scope"),
        ({"most": -1}, "most: expected a number of engines"),
        ({"most": True}, "most: expected a number of engines"),
        ({"knobs": {"a": 1}}, "expected an engine, since knobs are given; got none"),
        ({"exclude": ["nonsense"]}, "neither the index"),
        ({"wordspace": 1}, "no setting 'wordspace'"),
        ({"value": "time", "pick": "none"}, "expected one pick, got 'time' and another"),
        ({"choose": "time", "algorithm": "FFT"}, "got choose and algorithm"),
        ({"forward": {"pick": "none", "engine": 3}}, "got pick and engine"),
    ],
)
def test_what_is_not_understood_is_refused(given: dict[str, Any], text: str) -> None:
    with pytest.raises(errors.ArgumentError, match=text):
        Policy.of(**given)


def test_how_many_engines_are_tried() -> None:
    assert Policy.parse("time,most=10").filter == Rule(pick="time", most=10)
    assert Policy.of(most=0).over(Policy.of(most=10)).forward.most == 0
    with pytest.raises(errors.ArgumentError, match="most: expected a number of engines"):
        Policy.parse("most=few")


def test_a_refusal_lists_the_words() -> None:
    with pytest.raises(errors.ArgumentError) as caught:
        Policy.of("fastest")
    assert "heuristic" in caught.value.hint
    assert "IMPLICIT_PRECOMP_GEMM" in caught.value.hint


def test_a_candidate_says_how_to_choose_it() -> None:
    from cudnn_cffi.ops import Candidate

    facts = "convolution", "forward"
    engine = Candidate(*facts, "graph", "engine 7", {"TILE_SIZE": 3})
    assert Policy.of(engine.choose).forward.pick == Engine(7, (("TILE_SIZE", 3),))
    algorithm = Candidate(*facts, "classic", "GEMM", {})
    assert Policy.of(algorithm.choose).forward == Rule(pick="GEMM", via="classic")
    function = Candidate("batch_norm", "forward", "classic", "SPATIAL", {})
    assert Policy.of(function.choose).forward == Rule(via="classic")


def test_settings_and_sections() -> None:
    found = Policy.of(forward="time", data={"pick": "none", "tf32": False}, workspace_limit="2 MiB")
    assert found.forward == Rule(pick="time", workspace_limit=2 << 20)
    assert found.data == Rule(pick="none", tf32=False, workspace_limit=2 << 20)
    assert found.filter == Rule(workspace_limit=2 << 20)
    engine = Policy.of(engine=3, knobs={"TILE_SIZE": 2, "SPLIT_K": 1}).forward.pick
    assert engine == Engine(3, (("SPLIT_K", 1), ("TILE_SIZE", 2)))
    assert hash(Policy.of(engine=3, exclude=[1, "GEMM"]))
    of_mapping: Any = Engine(3, {"TILE_SIZE": 2, "SPLIT_K": 1})  # type: ignore[arg-type]
    for given in (of_mapping, Engine(3, (("TILE_SIZE", 2), ("SPLIT_K", 1)))):
        assert Policy.of(given).forward.pick == Policy.of(engine=given).forward.pick == engine


def test_filters_are_keywords_of_build() -> None:
    rule = Policy.of(exclude=[1, 7, "GEMM"], tf32=False, workspace_limit=-1).forward
    assert rule.filters == {"exclude": (1, 7), "tf32": False}
    assert rule.limit is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Policy()),
        ("time", Policy.of("time")),
        ("forward=time,data=FFT", Policy.of(forward="time", data="FFT")),
        (
            "time, filter.tf32=0; workspace_limit=1G",
            Policy.of("time", filter={"pick": "time", "tf32": False}, workspace_limit=1 << 30),
        ),
        ("exclude=3+GEMM", Policy.of(exclude=(3, "GEMM"))),
        ("engine=4", Policy.of(engine=4)),
        ("workspace_limit=50%", Policy.of(workspace_limit="50%")),
        ("deterministic=yes", Policy.of(deterministic=True)),
    ],
)
def test_text(text: str, expected: Policy) -> None:
    assert Policy.parse(text) == expected


@pytest.mark.parametrize("text", ["fastest", "tf32=maybe", "side=time", "x.tf32=0", "engine=a"])
def test_text_that_is_not_understood(text: str) -> None:
    with pytest.raises(errors.ArgumentError):
        Policy.parse(text)


def test_calls_override_operations_scopes_and_the_process() -> None:
    assert rule_for("forward").pick == "heuristic"
    choice.set_default("small", tf32=False)
    assert rule_for("forward") == Rule(pick="small", tf32=False)
    with choice("time"):
        assert rule_for("forward") == Rule(pick="time", tf32=False)
        with choice(data="none", workspace_limit=5):
            assert rule_for("forward") == Rule(pick="time", tf32=False, workspace_limit=5)
            assert rule_for("data").pick == "none"
            own = Policy.of("large")
            assert rule_for("data", None, own).pick == "large"
            assert rule_for("data", Policy.of("fft"), own).pick == "fft"
        assert rule_for("data").pick == "time"
    assert rule_for("data").pick == "small"


def test_the_process_adds_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(policy.VARIABLE, "small,tf32=0,deterministic=1,workspace_limit=1GiB")
    choice.set_default(forward="time")
    said: dict[str, Any] = {"tf32": False, "deterministic": True, "workspace_limit": 1 << 30}
    assert rule_for("forward") == Rule(pick="time", **said)
    assert rule_for("data") == Rule(pick="small", **said)
    before = choice.set_default(tf32=True, workspace_limit=-1)
    assert rule_for("forward") == Rule(
        pick="small", tf32=True, deterministic=True, workspace_limit=-1
    )
    choice.set_default(before)
    assert rule_for("forward") == Rule(pick="time", **said)
    cudnn.allow_tf32 = True  # a setting is what was assigned to it, whatever others say
    cudnn.deterministic = False
    assert (cudnn.allow_tf32, cudnn.deterministic) == (True, False)
    assert rule_for("forward") == Rule(pick="time", workspace_limit=1 << 30)


def test_what_was_in_force_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a setting had lifted what the environment says."""
    monkeypatch.setenv(policy.VARIABLE, "forward=time,tf32=0,deterministic=1,workspace_limit=5")
    policy._process.clear()
    first = choice.default_policy()
    cudnn.allow_tf32 = True
    cudnn.deterministic = False
    cudnn.conv_fwd_algo = None
    said = rule_for("forward")
    assert said == Rule(pick="heuristic", workspace_limit=5)
    choice.set_default(choice.set_default("small"))
    assert rule_for("forward") == said
    assert choice.default_policy() == pickle.loads(pickle.dumps(choice.default_policy()))
    choice.set_default(pickle.loads(pickle.dumps(choice.default_policy())))
    assert rule_for("forward") == said
    assert repr(choice.default_policy()).startswith("Policy(forward=Rule(")
    choice.set_default(choice.default_policy(), data="fft")  # and a change of it
    assert rule_for("data") == said._replace(pick="fft")
    choice.set_default(choice.set_default())
    assert rule_for("forward") == said
    choice.set_default(first)
    assert rule_for("forward") == Rule("time", tf32=False, deterministic=True, workspace_limit=5)
    choice.set_default(Policy.of("small"))  # which was never in force
    assert rule_for("forward").tf32 is False


def test_no_policy_is_lost_while_memories_are_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = threading.Thread(target=lambda: policy.set_default(deterministic=True))

    class Whole(policy._Whole):
        def __new__(cls, *rules: Rule) -> Whole:
            if setting.ident is None:  # it sets a policy meanwhile, or waits
                setting.start()
                setting.join(0.2)
            return super().__new__(cls, *rules)

    policy.default_policy()
    monkeypatch.setattr(policy, "_Whole", Whole)
    policy.renew()
    monkeypatch.undo()
    setting.join()
    assert policy.default_policy().forward.deterministic is True


def test_what_was_deterministic_can_be_otherwise_in_a_scope() -> None:
    choice.set_default(deterministic=True)
    assert rule_for("forward").filters == {"deterministic": True}
    assert rule_for("forward").keeps_bits
    with choice(deterministic=False):
        assert rule_for("forward").filters == {}
        assert not rule_for("forward").keeps_bits
    with choice("deterministic"):
        assert rule_for("forward").keeps_bits


def test_c_names_are_of_one_section() -> None:
    found = Policy.of("CUDNN_CONVOLUTION_FWD_ALGO_FFT")
    assert [each.pick for each in found] == ["FFT", None, None, None]
    found = Policy.of("CUDNN_CONVOLUTION_BWD_DATA_ALGO_1")
    assert [each.pick for each in found] == [None, "ALGO_1", None, None]
    assert [each.pick for each in Policy.of("FFT")][:3] == ["FFT", "FFT", "FFT"]
    for wrong in ({"data": "CUDNN_CONVOLUTION_FWD_ALGO_FFT"}, {"value": "FWD_ALGO_NOTHING"}):
        with pytest.raises(errors.ArgumentError, match="neither a word for a choice nor an alg"):
            Policy.of(**wrong)


def test_a_scope_is_one_threads_own() -> None:
    found = []
    with choice("time"):
        thread = threading.Thread(target=lambda: found.append(rule_for("forward").pick))
        thread.start()
        thread.join()
    assert found == ["heuristic"]


def test_a_scope_ends_with_an_exception() -> None:
    with pytest.raises(ZeroDivisionError), choice("time"):
        raise ZeroDivisionError
    assert rule_for("forward").pick == "heuristic"


def test_the_environment_is_the_first_default() -> None:
    code = (
        "import cudnn_cffi as c; print(c.choice.default_policy()); c.benchmark = True; "
        "print(c.benchmark, c.choice.default_policy().filter.tf32)"
    )

    def run(text: str) -> subprocess.CompletedProcess[str]:
        from os import environ

        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True,
            env={**environ, policy.VARIABLE: text},
        )  # fmt: skip

    done = run("deterministic,filter.tf32=0")
    assert done.stdout.split("\n")[-2] == "True False", done.stderr
    assert "forward: pick=deterministic" in done.stdout
    done = run("fastest")
    assert done.returncode
    assert f"{policy.VARIABLE}: choice of forward: 'fastest'" in done.stderr


class TestSettings:
    def test_benchmark(self) -> None:
        assert cudnn.benchmark is False
        cudnn.benchmark = True
        assert cudnn.benchmark is True
        assert rule_for("filter").pick == "time"
        cudnn.benchmark = False
        assert rule_for("filter").pick == "heuristic"

    def test_others_stay(self) -> None:
        cudnn.allow_tf32 = False
        cudnn.deterministic = True
        cudnn.benchmark = True
        assert rule_for("data") == Rule(pick="time", tf32=False, deterministic=True)
        cudnn.allow_tf32 = True
        cudnn.deterministic = False
        assert rule_for("data") == Rule(pick="time")
        assert (cudnn.allow_tf32, cudnn.deterministic) == (True, False)

    def test_algorithms(self) -> None:
        cudnn.conv_fwd_algo = "none"
        cudnn.conv_bwd_data_algo = "time_once"
        cudnn.algo_bwd_filter = "ALGO_1"
        picks = [rule_for(each).pick for each in policy_words.SECTIONS]
        assert picks == ["none", "time_once", "ALGO_1", "heuristic"]
        assert cudnn.conv_bwd_filter_algo == "ALGO_1"
        cudnn.conv_fwd_algo = None
        assert rule_for("forward").pick == "heuristic"

    def test_fastest(self) -> None:
        choice.set_default(workspace_limit=10)
        cudnn.fastest = True
        assert cudnn.fastest
        assert rule_for("forward").limit is None
        cudnn.fastest = False
        assert not cudnn.fastest

    @pytest.mark.parametrize("names", [("benchmark", "fastest"), ("fastest", "benchmark")])
    def test_fastest_goes_with_benchmark(self, names: tuple[str, str]) -> None:
        for name in names:
            setattr(cudnn, name, True)
        assert cudnn.benchmark
        assert cudnn.fastest
        assert rule_for("data")[::6] == ("time", -1)
        cudnn.benchmark = False
        assert cudnn.fastest
        assert rule_for("data")[::6] == ("heuristic", -1)
        cudnn.fastest = False
        assert choice.default_policy() == Policy()

    def test_verbose(self) -> None:
        from cudnn_cffi._operation import recording

        cudnn.verbose = True
        assert cudnn.verbose
        assert recording.watchers
        cudnn.verbose = False
        assert not recording.watchers

    @pytest.mark.parametrize("handler", ["none", "root", "own", "later", "a root of errors"])
    def test_verbose_prints_each_line_once(
        self, handler: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It prints if logging is not set up, and leaves it to logging if it is."""
        root, taken = logging.getLogger(), io.StringIO()
        monkeypatch.setattr(root, "handlers", [])
        theirs = logging.StreamHandler(taken)
        theirs.setLevel("ERROR" if "errors" in handler else "INFO")
        place = logging.getLogger("cudnn_cffi.ops") if handler == "own" else root
        names = ("ops", "torch", "choice")
        before = [logging.getLogger(f"cudnn_cffi.{each}").level for each in names]
        if handler not in ("none", "later"):
            place.addHandler(theirs)
        cudnn.verbose = True
        try:
            if handler == "later":
                place.addHandler(theirs)
            for name in names:
                logging.getLogger(f"cudnn_cffi.{name}").info("line of %s", name)
        finally:
            cudnn.verbose = False
            place.removeHandler(theirs)
        both = taken.getvalue() + capsys.readouterr().err
        assert both == "line of ops\nline of torch\nline of choice\n"
        assert bool(taken.getvalue()) == (handler in ("root", "own", "later"))
        after = [logging.getLogger(f"cudnn_cffi.{each}").level for each in names]
        assert after == before

    def test_verbose_tells_which_algorithm_was_set(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(logging.getLogger(), "handlers", [])
        cudnn.conv_fwd_algo = 1
        assert capsys.readouterr().err == ""
        cudnn.verbose = True
        try:
            cudnn.conv_fwd_algo = 6
            cudnn.algo_bwd = "deterministic"
            cudnn.conv_bwd_data_algo = None
            with pytest.raises(errors.ArgumentError):
                cudnn.conv_fwd_algo = "much"
        finally:
            cudnn.verbose = False
        assert capsys.readouterr().err.splitlines() == [
            "conv_fwd_algo set to WINOGRAD",
            "algo_bwd set to deterministic",
            "conv_bwd_data_algo set to None",
        ]

    @pytest.mark.parametrize("name", ["benchmark", "deterministic", "allow_tf32", "verbose"])
    @pytest.mark.parametrize("value", [1, "yes", None])
    def test_only_true_and_false(self, name: str, value: Any) -> None:
        with pytest.raises(errors.ArgumentError, match=f"{name}: expected True or False"):
            setattr(cudnn, name, value)

    def test_algorithms_that_do_not_exist(self) -> None:
        with pytest.raises(errors.ArgumentError, match="choice of forward: 'ALGO_1'") as caught:
            cudnn.conv_fwd_algo = "ALGO_1"
        assert caught.value.hint.startswith("it is an algorithm of data and filter; words: ")

    @pytest.mark.parametrize(
        ("name", "number", "algorithm"),
        [
            ("conv_fwd_algo", 1, "IMPLICIT_PRECOMP_GEMM"),
            ("conv_fwd_algo", 7, "WINOGRAD_NONFUSED"),
            ("conv_bwd_data_algo", 1, "ALGO_1"),
            ("conv_bwd_filter_algo", 3, "ALGO_3"),
        ],
    )
    def test_algorithms_by_number(self, name: str, number: int, algorithm: str) -> None:
        setattr(cudnn, name, number)
        assert getattr(cudnn, name) == algorithm
        with pytest.raises(errors.ArgumentError, match=r"expected the number of an .*, got 77"):
            setattr(cudnn, name, 77)
        assert getattr(cudnn, name) == algorithm

    def test_a_member_that_cudnn_h_does_not_have_is_refused(self) -> None:
        with pytest.raises(errors.ArgumentError, match="UNKNOWN_77"):
            cudnn.conv_fwd_algo = cudnn.ConvolutionFwdAlgo(77)

    def test_a_number_for_all_sections_may_be_an_engine(self) -> None:
        with pytest.raises(errors.ArgumentError, match="engine or an algorithm") as caught:
            cudnn.ops.Convolution(choose=1)
        assert '{"engine": 1}' in caught.value.hint

    def test_one_setting_for_both_gradients(self) -> None:
        cudnn.algo_bwd = "deterministic"
        assert cudnn.algo_bwd_data == cudnn.algo_bwd_filter == "deterministic"
        cudnn.algo_bwd_data = "fft"
        assert cudnn.algo_bwd is None

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("benchmark_limit", "choice.autotune"),
            ("enabled", "convert"),
            ("find", "conv_bwd_data_algo"),
            ("configmap", "choice.set_default"),
            ("conv_math_mode", "allow_tf32"),
            ("flags", "choice"),
            ("fp32_precision", "allow_tf32"),
            ("library_path", "CUDNN_CFFI_LIBRARY"),
            ("workspace_limit", "choice"),
        ],
    )
    def test_others_are_refused_with_the_word_to_use(self, name: str, text: str) -> None:
        with pytest.raises(AttributeError, match=text):
            setattr(cudnn, name, 1)

    def test_they_are_listed(self) -> None:
        assert {"benchmark", "conv_fwd_algo", "ops", "choice"} <= set(dir(cudnn))


def test_a_share_of_the_free_memory() -> None:
    rule = Policy.of(workspace_limit=" 25 %").forward
    assert rule.workspace_limit == "25%"
    assert rule.limit is None
    assert rule.on(lambda: 1000).limit == 224, "three bits of 250"
    assert rule.on(lambda: 0).limit == 0
    assert rule.on(None) == Rule(), "a device that is not there"
    assert Rule(workspace_limit=5).on(lambda: 1).limit == 5


@pytest.mark.parametrize("pick", [None, "heuristic", "time", "time_once", "small"])
def test_all_picks_heed_a_share_of_the_free_memory(
    monkeypatch: pytest.MonkeyPatch, pick: Any
) -> None:
    asked: list[int] = []
    rules: list[Rule] = []

    def info(device: int) -> SimpleNamespace:
        asked.append(device)
        return SimpleNamespace(free=1000)

    def choose(_operation: Any, _case: Any, rule: Rule, *_: Any) -> SimpleNamespace:
        rules.append(rule)
        return SimpleNamespace(engine=7, knobs={})

    monkeypatch.setattr("cudnn_cffi.driver.info", info)
    monkeypatch.setattr(way_search, "choose_way", choose)
    operation: Any = SimpleNamespace(_picked={})
    case, handle = cast("Any", None), cast("Any", SimpleNamespace(device=3))
    rule = Rule(pick=pick, workspace_limit="25%")
    way_search.find_uncopied(operation, case, rule, handle, None)
    assert asked == [3]
    assert [each.limit for each in rules] == [224]
    assert rules[0].filters["workspace_limit"] == 224
