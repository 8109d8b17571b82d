"""Kernels of fused models on a GPU."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

from cudnn_cffi.torch import fuse  # noqa: E402
from cudnn_cffi.torch.fusion.kernels import grouped  # noqa: E402

from tests.torch import emulated  # noqa: E402
from tests.torch import rows_and_windows as checks  # noqa: E402
from tests.torch import test_patterns as blocks  # noqa: E402


@pytest.fixture
def hopper() -> None:
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("the kernel is for devices of compute capability 9.0")


@pytest.mark.parametrize("dtype", checks.TYPES, ids=str)
class TestKernels:
    """Each kernel beside float64."""

    @pytest.mark.parametrize("case", checks.WINDOWS, ids=str)
    def test_filters_for_each_channel(self, case: Any, dtype: Any) -> None:
        checks.check_windows("cuda", case, dtype)

    @pytest.mark.parametrize("case", checks.SLIDING + checks.SLIDING_LARGE, ids=str)
    def test_many_filters_for_each_channel(
        self, case: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(grouped, "_MANY", 0)
        checks.check_sliding("cuda", case, dtype)

    @pytest.mark.parametrize("case", checks.GROUPED, ids=str)
    def test_groups_of_channels(self, case: Any, dtype: Any) -> None:
        checks.check_grouped("cuda", case, dtype)

    @pytest.mark.usefixtures("hopper")
    @pytest.mark.parametrize("case", checks.FEW + checks.FEW_LARGE, ids=str)
    def test_few_channels(self, case: Any, dtype: Any) -> None:
        checks.check_few("cuda", case, dtype)

    @pytest.mark.usefixtures("hopper")
    @pytest.mark.parametrize("case", checks.MANY_NEIGHBORS, ids=str)
    def test_64_channels(self, case: Any, dtype: Any) -> None:
        checks.check_neighbors("cuda", case, dtype)

    @pytest.mark.usefixtures("hopper")
    @pytest.mark.parametrize("case", checks.MANY_PIXELS, ids=str)
    def test_many_pixels(self, case: Any, dtype: Any) -> None:
        checks.check_pixels("cuda", case, dtype)

    @pytest.mark.usefixtures("hopper")
    @pytest.mark.parametrize("case", checks.MANY_POINTS, ids=str)
    def test_many_pixels_of_few_channels(self, case: Any, dtype: Any) -> None:
        checks.check_points("cuda", case, dtype)

    def test_infinities(self, dtype: Any) -> None:
        checks.check_infinities("cuda", dtype)

    def test_pieces(self, dtype: Any) -> None:
        checks.check_pieces("cuda", dtype)

    @pytest.mark.parametrize("shape", checks.ROWS, ids=str)
    def test_rows(self, shape: Any, dtype: Any) -> None:
        checks.check_rows("cuda", shape, dtype)

    def test_repeated_pixels(self, dtype: Any) -> None:
        checks.check_repeats("cuda", dtype)

    def test_pools(self, dtype: Any) -> None:
        checks.check_pools("cuda", dtype)
        checks.check_means("cuda", dtype)
        checks.check_places("cuda", dtype)

    @pytest.mark.parametrize("case", checks.GATES, ids=str)
    def test_gates(self, case: Any, dtype: Any) -> None:
        shape, squeezed = case
        checks.check_gates("cuda", shape, squeezed, dtype)

    @pytest.mark.parametrize("case", checks.GROUPS, ids=str)
    def test_groups(self, case: Any, dtype: Any) -> None:
        shape, groups = case
        checks.check_groups("cuda", shape, groups, dtype)


def test_gaps_between_pixels() -> None:
    checks.check_gaps("cuda")


@pytest.mark.usefixtures("hopper")
def test_few_channels_beside_others() -> None:
    checks.check_few_beside_others("cuda")


@pytest.mark.usefixtures("hopper")
def test_inputs_that_a_graph_reads_where_they_are() -> None:
    """They are at other addresses, have other layouts, are changed afterwards, and are let go."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 7, 2, 3), torch.nn.ReLU()).cuda().half()
    captured, plain = fuse(model, capture=True), fuse(model)
    whole = torch.randn(9, 4 * 3 * 40 * 48 + 1, device="cuda").half()
    inputs = [each[:-1].view(4, 40, 48, 3).movedim(3, 1) for each in whole]
    inputs[2] = inputs[2].contiguous()
    inputs[3] = whole[3, 1:].view(4, 40, 48, 3).movedim(3, 1)
    wanted = [plain(each.contiguous(memory_format=torch.channels_last)) for each in inputs]
    captured(inputs[0])
    (first,) = captured._pipeline._programs.values()
    assert not first._inputs, "it has no memory for copies before it needs them"
    for each, y in zip(inputs, wanted, strict=True):
        assert torch.equal(captured(each), y)
        assert torch.equal(captured(each.clone()), y)
        each.fill_(torch.nan)
    for _ in range(3):
        x = torch.randn(4, 3, 40, 48, device="cuda").half()
        y, again = plain(x), captured(x.clone(memory_format=torch.channels_last))
        torch.full((1 << 18,), torch.nan, device="cuda", dtype=torch.half)
        assert torch.equal(again, y)
    programs = captured._pipeline._programs.values()  # one for each order of results
    assert [list(each._places) for each in programs] == [[0], [0]]
    assert list(first._inputs) == [0]


@pytest.mark.usefixtures("hopper")
def test_lines_that_a_graph_reads() -> None:
    """Inputs of three axes are moved before a kernel reads them."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Conv1d(2, 64, 5, padding=2), torch.nn.ReLU())
    captured, plain = [fuse(model.cuda().half(), capture=each) for each in (True, False)]
    for _ in range(3):
        x = torch.randn(3, 2, 400, device="cuda").half()
        assert torch.equal(captured(x), plain(x))
        x.fill_(torch.nan)


@pytest.mark.usefixtures("hopper")
def test_images_that_are_not_taken() -> None:
    checks.refused_few("cuda")
    checks.refused_neighbors("cuda")
    checks.refused_points("cuda")


@pytest.mark.alone  # for the memory
@pytest.mark.parametrize("channels", [64, 8])
def test_more_elements_than_32_bits_count(channels: int) -> None:
    """A norm and a causal convolution of 2^31 elements and more, beside float64 of slices."""
    if torch.cuda.mem_get_info()[0] < 16 << 30:
        pytest.skip("it takes 16 GiB of device memory")
    torch.manual_seed(0)
    frames, size = 40, 920 if channels == 64 else 2608
    norm, conv = torch.nn.GroupNorm(8, channels), torch.nn.Conv3d(channels, 8, 3)

    class Causal(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.conv = norm, conv

        def forward(self, x: Any) -> Any:
            y = torch.nn.functional.silu(self.norm(x))
            return self.conv(torch.nn.functional.pad(y, (1, 1, 1, 1, 2, 0)))

    model = Causal().cuda().half().to(memory_format=torch.channels_last_3d)
    x = torch.empty(
        (1, channels, frames, size, size), device="cuda", dtype=torch.half,
        memory_format=torch.channels_last_3d,
    ).normal_()  # fmt: skip
    x[:, :, -5:] += 2
    assert x.numel() > 1 << 31
    y = fuse(model)(x)
    width = channels // 8
    sums = torch.zeros(2, 8, 1, device="cuda", dtype=torch.double)
    for frame in x[0].transpose(0, 1):  # of which float64 has room for one
        rows = frame.reshape(8, width, -1).double().flatten(1)
        sums += torch.stack([rows.sum(1, True), rows.square().sum(1, True)])
    mean, square = sums / (x.numel() // 8)
    scale = 1 / (square - mean.square() + 1e-5).sqrt()
    of_channels = [each.repeat_interleave(width, 0).view(1, -1, 1, 1, 1) for each in (mean, scale)]
    weights = [each.detach().double() for each in (norm.weight, norm.bias)]
    for first, begin in ((0, 0), (19, 400), (frames - 3, size - 40)):
        given = x[:, :, first : first + 3, begin : begin + 40, -40:].double()
        given = (given - of_channels[0]) * of_channels[1]
        given = given * weights[0].view(1, -1, 1, 1, 1) + weights[1].view(1, -1, 1, 1, 1)
        wanted = torch.conv3d(
            torch.nn.functional.silu(given), conv.weight.double(), conv.bias.double()
        )
        found = y[:, :, first + 2 : first + 3, begin + 1 : begin + 39, -39:-1]
        checks.close(found, wanted, scale=2.0)


def relative(y: Any, wanted: Any) -> float:
    """The size of the difference over that of the numbers."""
    if isinstance(y, tuple):
        return max(map(relative, y, wanted))
    return float((y.double() - wanted).norm() / wanted.norm())


@pytest.mark.parametrize("dtype", checks.TYPES, ids=str)
@pytest.mark.parametrize("name", [*blocks.BLOCKS, "wide", "inverted", "normed"])
def test_blocks(name: str, dtype: Any) -> None:
    """Captured and not: no more error than 1.5 times eager's, also after all weights changed."""
    large = {"wide": blocks.WIDE, "inverted": blocks.INVERTED, "normed": blocks.NORMED}
    make, *shapes = {**blocks.BLOCKS, **large}[name]
    torch.manual_seed(4)
    model = emulated.settle(make()).cuda().to(dtype)
    form = {4: torch.channels_last, 5: torch.channels_last_3d}.get(len(shapes[0]))
    given = [torch.randn(*shape, device="cuda", dtype=dtype) for shape in shapes]
    if form is not None:
        model = model.to(memory_format=form)
        given[0] = given[0].contiguous(memory_format=form)
    with torch.no_grad():
        made = [fuse(model, capture=capture) for capture in (True, False)]
        for change in (0.0, 0.05, 0.05):  # a third one would have float16 overflow
            for each in model.state_dict().values():
                if each.is_floating_point():
                    each.add_(change * torch.rand_like(each))
            wide = [each.double() for each in given]
            wanted = copy.deepcopy(model).double()(*wide)
            eager = relative(model(*given), wanted)
            for fused in made:
                checks.poison("cuda")
                error = relative(fused(*given), wanted)
                assert error <= 1.5 * eager + 1e-4, (error, eager, fused.report)
        assert any(word in str(made[0].report) for word in ("kernel", "pieces: "))
        if name == "wide" and torch.cuda.get_device_capability() == (9, 0):
            (program,) = made[1]._pipeline._programs.values()
            assert len(program._values.follows) == 2
        if name == "inverted":
            (program,) = made[1]._pipeline._programs.values()
            gates = program._gates
            assert (len(gates.applied), len(gates.summed)) == (2, 2)
        if name == "normed":
            (program,) = made[1]._pipeline._programs.values()
            assert len(program._gates.applied) == 4
        with torch.autocast("cuda", dtype):
            wanted, y = model(*given), made[1](*given)
        pairs = zip(y, wanted, strict=True) if isinstance(y, tuple) else [(y, wanted)]
        for each, own in pairs:
            assert each.dtype == own.dtype
            assert relative(each, own.double()) < 40 * 2**-10
