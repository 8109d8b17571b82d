"""JAX: plans and operations inside `jax.jit`, `jax.grad` and `jax.vmap`.

XLA calls them itself, in its own streams, by a handler in C. Importing this imports JAX. The rest
of the package needs no JAX. See docs/jax.md.
"""

from __future__ import annotations

#: Minimum version of JAX.
LEAST = (0, 5)


def _check() -> None:
    """Import JAX.

    Raises:
        ImportError: there is none, or it is too old; it says what to install.
    """
    wanted = ".".join(map(str, LEAST))
    advice = f'cudnn_cffi.jax needs JAX {wanted} or newer: pip install "jax[cuda12]>={wanted}"'
    try:
        import jax
        import jaxlib
    except ImportError as error:
        raise ImportError(f"{advice} ({error})", name="jax") from error
    for each in (jax, jaxlib):
        version = str(each.__version__)
        if tuple(int(part) for part in version.split(".")[:2]) < LEAST:
            raise ImportError(f"{advice} ({each.__name__} {version} is installed)", name="jax")


_check()

from .calls import call as call  # noqa: E402
