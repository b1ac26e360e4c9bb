"""Running code that a model wrote: child kernels, their limits, and what comes back.

`ChildKernels` starts kernels and bounds how many live at once; `ChildKernel.run` executes a cell
under an absolute deadline; `CellResult` says, without a Jupyter type in it, what happened. Usable
on its own:

    async with ChildKernels(limit=8) as kernels:
        async with await kernels.start(seed=1) as kernel:
            result = await kernel.run("1 + 1", timeout_s=10)

Until the box of the operating system exists, `ChildKernels.isolation` is "none": a child has a
scrubbed environment, a private folder and resource limits, but the files and the network of the
user who started it.
"""

from .aliases import MODULE_ALIASES
from .kernels import ChildKernel, ChildKernels, KernelStartError
from .result import CellResult, CellStatus

__all__ = [
    "MODULE_ALIASES",
    "CellResult",
    "CellStatus",
    "ChildKernel",
    "ChildKernels",
    "KernelStartError",
]
