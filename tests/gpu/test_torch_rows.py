"""Kernels of rows: products, norms and moves, with data that breaks kernels, beside float64."""

from __future__ import annotations

from typing import Any

import pytest

WORDS = [None, "relu", "gelu", "gelu_tanh", "swish", "sigmoid", "tanh"]

TILES = [(64, 64, 4, 1), (32, 32, 8, 1), (64, 64, 4, 4), (64, 32, 6, 4)]

#: Tiles of instructions of 64 rows, which compute capability 9.0 alone has: first those that
#: `wide_tile` returns.
WIDE = [
    (64, 48, 8, 8), (64, 96, 4, 8), (64, 48, 7, 1), (64, 48, 6, 2),
    (64, 96, 5, 4), (128, 48, 3, 1), (64, 32, 8, 2), (128, 144, 3, 8), (64, 192, 4, 1),
    (128, 128, 4, 2), (64, 64, 6, 1),
]  # fmt: skip

#: Tiles whose 64 rows are those of w, and how many groups of four warps they have.
TURNED = [
    *[(rows, 64, 8, parts, 1) for rows in (24, 32) for parts in (1, 2, 4)],
    *[(rows, 64, 6, 1, 2) for rows in range(24, 73, 8)],
    *[(rows, 128, 7, 4, 2) for rows in range(24, 73, 8)],
    (104, 64, 5, 4, 1), (88, 64, 4, 2, 2), (80, 64, 4, 4, 1), (200, 64, 3, 8, 1), (96, 128, 4, 2, 2),
]  # fmt: skip

#: (rows, columns, summed columns): with tiles that are not whole, and some that are.
SHAPES = [
    (1, 8, 8), (1, 768, 3072), (33, 72, 88), (64, 64, 64), (65, 136, 648), (130, 200, 1032),
    (197, 768, 768), (256, 3072, 768),
]  # fmt: skip


@pytest.fixture(autouse=True)
def kernels(torch: Any) -> None:
    if torch.cuda.get_device_capability()[0] < 9:
        pytest.skip("the kernels are for devices from compute capability 9 on")


def data(torch: Any, kind: str, *shape: int) -> Any:
    """Numbers of some kind: with rows that are extreme, zero or constant."""
    x = torch.randn(shape, device="cuda")
    if kind == "constant":
        x[:] = 0.75
    if kind == "zeros":
        x[::2] = 0
    if kind == "very negative":
        x[::3] -= 200
    if kind == "large":
        x[1::2] *= 100
    if kind == "small":
        x *= 1e-6
    return x


def close(torch: Any, y: Any, wanted: Any, scale: Any) -> None:
    """Check that numbers are as near as their data type allows, and steps of a scale."""
    step = torch.finfo(y.dtype).eps
    allowed = step * (0.51 * wanted.abs() + scale) + torch.finfo(y.dtype).tiny
    off = (y.double() - wanted).abs()
    assert bool((off <= allowed).all()), float((off / allowed).max())


def tiles(torch: Any, place: int) -> Any:
    """One of the tiles after the other, as far as the device has their instructions."""
    from cudnn_cffi.torch.fusion.kernels.runs import Tile

    found = [Tile(*each) for each in TILES]
    if torch.cuda.get_device_capability() == (9, 0):
        found = [Tile(*each, True) for each in WIDE] + found
    return found[place % len(found)]


def formula(torch: Any, word: str | None, x: Any) -> Any:
    functional = torch.nn.functional
    known = {
        None: lambda x: x, "relu": torch.relu, "gelu": functional.gelu, "swish": functional.silu,
        "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"), "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
    }  # fmt: skip
    return known[word](x)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["plain", "constant", "zeros", "very negative", "large", "small"])
def test_products(torch: Any, dtype: str, kind: str) -> None:
    from cudnn_cffi.torch.fusion.kernels.runs import Product
    from cudnn_cffi.torch.fusion.products import as_filters, as_image, specs_of

    torch.manual_seed(0)
    narrow = getattr(torch, dtype)
    for place, (rows, columns, depth) in enumerate(2 * SHAPES):
        x = data(torch, kind, rows, depth).to(narrow)
        w = (torch.randn(columns, depth, device="cuda") / depth**0.5).to(narrow)
        bias = None if place % 3 == 0 else torch.randn(columns, device="cuda").to(narrow)
        word = WORDS[place % len(WORDS)]
        other = None if word else data(torch, kind, rows, columns).to(narrow)
        if place % 2:  # addresses that kernels do not read 16 bytes from
            w = torch.cat([w.new_ones(1), w.flatten()])[1:].view(columns, depth)
        tile = tiles(torch, place + place // 4 + len(kind))
        run = Product(specs_of(x, w, bias, other), tile, word and (word, None), x.device.index)
        y = torch.full((rows + 8, columns), float("nan"), device="cuda", dtype=narrow)
        given = [as_image(x), as_filters(w)]
        given += [] if bias is None else [bias]
        given += [] if other is None else [as_image(other)]
        for each in (run, run.following(), run):
            y.fill_(float("nan"))
            each(*given, as_image(y[:rows]))
            sums = x.double() @ w.double().t()
            scale = (x.double().abs() @ w.double().abs().t()).amax() * 2e-2
            if bias is not None:
                sums = sums + bias.double()
            wanted = formula(torch, word, sums)
            if other is not None:
                wanted = wanted + other.double()
            close(torch, y[:rows], wanted, scale)
            assert bool(y[rows:].isnan().all())
        made = run(*given)
        assert torch.equal(made[0, :, :, 0].t(), y[:rows])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_turned_products(torch: Any, dtype: str) -> None:
    """All tiles that are chosen, of shapes with tiles that are not whole."""
    from cudnn_cffi.torch.fusion.kernels.runs import Product, Tile
    from cudnn_cffi.torch.fusion.products import as_filters, as_image, specs_of

    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("the kernel is for devices of compute capability 9.0")
    torch.manual_seed(0)
    narrow = getattr(torch, dtype)
    cases = []
    for place, sizes in enumerate(TURNED):
        height = sizes[0]
        rows = (1, height, height + 1, 3 * height - 5)[place % 4]
        columns, depth = ((8, 8), (136, 648), (200, 1032), (264, 3080))[place // 4 % 4]
        kind = ("plain", "zeros", "very negative", "large", "small", "constant")[place % 6]
        x = data(torch, kind, rows, depth).to(narrow)
        w = (torch.randn(columns, depth, device="cuda") / depth**0.5).to(narrow)
        bias = torch.randn(columns, device="cuda").to(narrow) if place % 5 else None
        other = data(torch, kind, rows, columns).to(narrow) if place % 3 else None
        word = None if other is not None and place % 2 else WORDS[place % len(WORDS)]
        tile = Tile(*sizes[:4], True, True, sizes[4])
        run = Product(specs_of(x, w, bias, other), tile, word and (word, None), x.device.index)
        cases.append((run, x, w, bias, other, word))
    for run, x, w, bias, other, word in cases:
        rows, columns = len(x), len(w)
        sums = x.double() @ w.double().t()
        sums = sums if bias is None else sums + bias.double()
        wanted = formula(torch, word, sums)
        wanted = wanted if other is None else wanted + other.double()
        scale = (x.double().abs() @ w.double().abs().t()).amax() * 2e-2 + 1e-3
        y = torch.empty((rows + 8, columns), device="cuda", dtype=narrow)
        given = [as_image(x), as_filters(w), *[each for each in (bias,) if each is not None]]
        given += [] if other is None else [as_image(other)]
        for each in (run, run.following(), run.following()):
            y.fill_(float("nan"))
            each(*given, as_image(y[:rows]))
            close(torch, y[:rows], wanted, scale)
            assert bool(y[rows:].isnan().all())


def test_products_of_one_kernel_with_other_memory(torch: Any) -> None:
    """Few blocks ask for more memory than many, so that each has a multiprocessor alone."""
    from cudnn_cffi.torch.fusion.kernels.runs import Product, Tile
    from cudnn_cffi.torch.fusion.products import as_filters, as_image, specs_of

    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("the kernel is for devices of compute capability 9.0")
    x = torch.randn(20, 136, device="cuda").half()
    for many in (150 * 64, 64, 150 * 64):
        w = (torch.randn(many, 136, device="cuda") / 12).half()
        run = Product(specs_of(x, w, None, None), Tile(24, 64, 8, 1, True, True), None, 0)
        y = run(as_image(x), as_filters(w))[0, :, :, 0].t()
        close(torch, y, x.double() @ w.double().t(), 0.5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["plain", "constant", "zeros", "very negative", "large", "small"])
def test_pixels(torch: Any, dtype: str, kind: str) -> None:
    """Convolutions of one element: the activation is that of the sum; channels may have a gap."""
    from cudnn_cffi.torch.fusion.kernels.runs import Product, Tile, Window, find_product, row_step

    from tests.torch.rows_and_windows import spec

    torch.manual_seed(0)
    narrow, form = getattr(torch, dtype), torch.channels_last
    for place, (shape, channels) in enumerate(
        (((2, 24, 5, 7), 40), ((1, 136, 1, 33), 8), ((3, 64, 9, 1), 72))
    ):
        images, depth, height, width = shape
        x = data(torch, kind, images * height * width, depth).to(narrow)
        x = x.view(images, height, width, depth).permute(0, 3, 1, 2)
        w = (torch.randn(channels, depth, 1, 1, device="cuda") / depth**0.5).to(narrow)
        b = torch.randn(channels, device="cuda").to(narrow)
        whole = torch.full(
            (images, channels + 16, height, width), torch.nan, device="cuda", dtype=narrow
        )
        whole = whole.contiguous(memory_format=form)
        y = whole[:, 8 : 8 + channels]
        r = data(torch, kind, images * height * width, channels).to(narrow)
        r = r.view(images, height, width, channels).permute(0, 3, 1, 2)
        word = (("relu", None), ("hard_swish", None), ("clipped_relu", 6.0))[place]
        named = {"x": x, "w": w, "bias": b, "residual": r, "y": y}
        specs = {name: spec(each) for name, each in named.items()}
        assert row_step(specs["y"]) == channels + 16
        runs = [Product(specs, Tile(*TILES[place]), word, 0, True)]
        if torch.cuda.get_device_capability() == (9, 0):
            runs.append(Product(specs, Tile(*WIDE[place], True), word, 0, True))
        sums = torch.nn.functional.conv2d(x.double(), w.double(), b.double()) + r.double()
        function = {"relu": torch.relu, "hard_swish": torch.nn.functional.hardswish}
        wanted = function.get(word[0], lambda each: each.clamp(0, 6))(sums)
        scale = torch.nn.functional.conv2d(x.double().abs(), w.double().abs()).amax() * 2e-2
        for each in (*runs, *[run.following() for run in runs]):
            whole.fill_(torch.nan)
            each(x, w, b, r, y)
            close(torch, y, wanted, scale)
            assert bool(whole[:, :8].isnan().all() and whole[:, 8 + channels :].isnan().all())
        apart = x[:, :, :, ::2] if width > 1 else x[:, :, ::2]
        point = Window((1, 1), (0, 0), (1, 1))
        assert find_product(specs | {"x": spec(apart)}, word, point) is None or height == 1


def test_products_of_what_is_no_number(torch: Any) -> None:
    from cudnn_cffi.torch.fusion.kernels.runs import Product, Tile
    from cudnn_cffi.torch.fusion.products import as_filters, as_image, specs_of

    x = torch.randn(70, 136, device="cuda").half()
    w = torch.randn(200, 136, device="cuda").half()
    x[3, 5], x[66, 1], w[7, 100] = float("nan"), float("inf"), float("-inf")
    for word in ("relu", "gelu", None):
        run = Product(
            specs_of(x, w, None, None), Tile(64, 64, 4, 1), word and (word, None), x.device.index
        )
        y = run(as_image(x), as_filters(w))[0, :, :, 0].t()
        wanted = formula(torch, word, (x.double() @ w.double().t()))
        assert torch.equal(y.isnan(), wanted.isnan())
        assert torch.equal(y.isinf(), wanted.isinf() | (wanted.half().isinf()))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("kind", ["plain", "constant", "zeros", "very negative", "large", "small"])
def test_norms(torch: Any, dtype: str, kind: str) -> None:
    from cudnn_cffi import ops
    from cudnn_cffi.torch.fusion.kernels.runs import Norm, find_norm

    torch.manual_seed(0)
    narrow = getattr(torch, dtype)
    for columns in (8, 32, 96, 200, 768, 1032, 1536, 4096, 8192):
        for rows, rms in ((1, True), (37, False), (37, True)):
            x = data(torch, kind, rows, columns).to(narrow)
            weight, bias = (torch.randn(columns, device="cuda").to(narrow) for _ in "wb")
            weight = torch.cat([weight.new_ones(1), weight])[1:]  # at an odd address
            found = {"x": x, "w": weight, "y": x} | ({} if rms else {"bias": bias})
            specs = {name: ops.Spec.of(each, name) for name, each in found.items()}
            run = find_norm(specs, 1e-5, rms=rms)
            assert isinstance(run, Norm)
            given = [x, weight] + ([] if rms else [bias])
            y = torch.full((rows + 1, columns), float("nan"), device="cuda", dtype=narrow)
            wide = x.double()
            centered = wide if rms else wide - wide.mean(-1, keepdim=True)
            scale = (centered.square().mean(-1, keepdim=True) + 1e-5).rsqrt()
            wanted = centered * scale * weight.double() + (0 if rms else bias.double())
            for each in (run, run.following()):
                y.fill_(float("nan"))
                each(*given, y[:rows])
                # Subtracting the mean loses this, in float.
                lost = 1e-6 * wide.abs().amax(-1, keepdim=True) * scale * weight.double().abs()
                off = (y[:rows].double() - wanted).abs()
                step = torch.finfo(narrow).eps
                assert bool((off <= step * wanted.abs() + 4 * lost + 1e-6).all())
                assert bool(y[rows:].isnan().all())
            assert torch.equal(run(*given), y[:rows])


def test_moves(torch: Any) -> None:
    from cudnn_cffi.torch.fusion.kernels.functions import Moving

    functional = torch.nn.functional
    chains: dict[str, Any] = {
        "windows": [
            (functional.pad, ((0, 0, 0, 3, 1, 0),), {}), (torch.roll, (), {"shifts": (2, -1), "dims": (1, 2)}),
            (torch.Tensor.reshape, (2, 2, 4, 3, 3, 24), {}), (torch.Tensor.permute, (0, 1, 3, 2, 4, 5), {}),
            (torch.Tensor.reshape, (12, 12, 24), {}),
        ],
        "turned": [(torch.Tensor.transpose, (1, 3), {}), (torch.Tensor.contiguous, (), {})],
        "narrow": [(torch.Tensor.roll, (1, 3), {})],
    }  # fmt: skip
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        for name, chain in chains.items():
            for turned in (False, True):
                x = torch.randn(2, 7, 6, 24, device="cuda").to(dtype)
                x = x.transpose(1, 2).contiguous().transpose(1, 2) if turned else x
                move = Moving(chain)
                wanted = move.apply(x).contiguous()
                other = torch.randn(wanted.shape, device="cuda").to(dtype)
                for _ in range(2):
                    assert torch.equal(move(x), wanted), (name, dtype)
                    assert torch.equal(move(x, other), wanted + other), (name, dtype)
                assert torch.equal(move(x[:1]), move.apply(x[:1])) if name == "turned" else True
                table = next(iter(move._tables.values()))
                assert (table is None) == (name != "windows"), name


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_rotations_and_gates(torch: Any, dtype: str) -> None:
    from cudnn_cffi.torch.fusion.kernels.functions import WORDS, gated, rotated

    torch.manual_seed(0)
    narrow = getattr(torch, dtype)
    packed = torch.randn(3, 5, 4 * 32, device="cuda").to(narrow)
    for heads in (packed.view(3, 5, 4, 32).transpose(1, 2), packed[..., 32:].reshape(3, 5, 3, 32),
                  packed[:, :, 32:96].unflatten(-1, (2, 32)).transpose(1, 2),
                  packed.view(3, 5, 8, 16)[..., :8], packed[..., 1:33].unflatten(-1, (1, 32))):  # fmt: skip
        angles = torch.randn(3, 1, heads.shape[2], heads.shape[3], device="cuda")
        cosine, sine = angles.cos().to(narrow), angles.sin().to(narrow)
        half = heads.shape[3] // 2
        wide = heads.double()
        turned = torch.cat((-wide[..., half:], wide[..., :half]), -1)
        wanted = wide * cosine.double() + turned * sine.double()
        found = rotated(heads, cosine, sine)
        step = torch.finfo(narrow).eps
        assert bool(
            ((found.double() - wanted).abs() <= 2 * step * (1 + wide.abs() + turned.abs())).all()
        )
        assert found.shape == heads.shape
    for word in WORDS:
        for kind in ("plain", "very negative", "zeros"):
            wide = data(torch, kind, 6, 96).to(narrow)
            for x, other in ((wide[:, :48], wide[:, 48:]), (wide[:, :40], wide[:, 8:48]), (wide, wide.flip(0)),
                             (wide[:, 1:33], wide[:, :32]), (wide[:, :33], wide[:, 1:34])):  # fmt: skip
                wanted = formula(torch, word, x.double()) * other.double()
                found = gated(x, other, word)
                # PyTorch, where it computes, rounds the activation, too.
                size = (x.double().abs() + 1) * other.double().abs()
                close(
                    torch, found, wanted, wanted.abs() + size * (8 if dtype == "float32" else 0.01)
                )
