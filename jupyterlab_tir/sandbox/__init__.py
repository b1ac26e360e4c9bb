"""Running code that a model wrote: child kernels, their limits, and what comes back.

`ChildKernels` starts kernels, ahead if asked, and bounds how many there are and what they take
together; `ChildKernel.run` executes a cell under an absolute deadline; `CellResult` says, without a
Jupyter type in it, what happened. Usable on its own:

    async with ChildKernels(level="auto", limit=8) as kernels:
        async with await kernels.start(seed=1) as kernel:
            result = await kernel.run("1 + 1", timeout_s=10)

How far a kernel is confined is `ChildKernels.isolation`, one of the levels that `levels.py`
explains and that the machine was found to hold by trying; docs/sandbox.md says what each stops.
"""

from .aliases import MODULE_ALIASES
from .errors import KernelStartError
from .kernel import ChildKernel
from .kernels import ChildKernels
from .levels import SandboxError
from .result import CellResult, CellStatus

__all__ = [
    "MODULE_ALIASES",
    "CellResult",
    "CellStatus",
    "ChildKernel",
    "ChildKernels",
    "KernelStartError",
    "SandboxError",
]
