"""Child kernels that an installed kernelspec of the user's describes: confined as it provides."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Final

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager, NoSuchKernel
from traitlets import TraitError

from jupyterlab_tir.errors import UsageError

from .environment import clean_environment
from .errors import KernelStartError
from .launcher import ChildKernelManager, Launcher, started

if TYPE_CHECKING:
    import zmq.asyncio
    from jupyter_client.manager import AsyncKernelManager

# What programs that start kernels elsewhere (in containers, in other environments, on other
# machines) read to find their configuration; keys of APIs are not among it.
_NAMED_KERNEL_VARIABLES: Final = frozenset(
    {
        "CONDA_PREFIX",
        "DOCKER_CONFIG",
        "DOCKER_HOST",
        "HOME",
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_PATH",
        "KUBECONFIG",
        "LOGNAME",
        "PYTHONPATH",
        "SYSTEMROOT",
        "TEMP",
        "TMPDIR",
        "USER",
        "VIRTUAL_ENV",
        "XDG_RUNTIME_DIR",
    }
)


class NamedLauncher(Launcher):
    """Starts an installed kernelspec of the user's, by whatever provisioner that asks for."""

    ours = False
    cheap = False

    def __init__(self, name: str) -> None:
        self._name = name
        self.isolation = f"provided by the kernel {name}"

    async def open(self) -> None:
        """Check that the kernelspec is there, can be used and speaks Python.

        Raises
        ------
        UsageError
            Where it is not, cannot, or does not.
        """
        specs = KernelSpecManager()
        try:
            spec = specs.get_kernel_spec(self._name)
        except NoSuchKernel:
            raise UsageError(self._why_not(specs)) from None
        # Anything may stand in the file: no JSON, a list, values of other types.
        except (OSError, ValueError, TypeError, AttributeError, TraitError) as error:
            raise UsageError(
                f"The kernel.json of the kernel {self._name!r} cannot be read ({error}): mend it, "
                "or name another kernel. `jupyter kernelspec list` shows where it is."
            ) from None
        if spec.language.lower() != "python":
            raise UsageError(
                f"The kernel {self._name!r} runs {spec.language}, but models write Python: name "
                "one that does."
            )

    def _why_not(self, specs: KernelSpecManager) -> str:
        """Say why there is no kernel of the name: Jupyter hides those whose provisioner is not."""
        there = specs.find_kernel_specs()
        if (folder := there.get(self._name.lower())) is not None:
            stanza = KernelSpec.from_resource_dir(folder).metadata.get("kernel_provisioner", {})
            return (
                f"The kernel {self._name!r} is started by the provisioner "
                f"{stanza.get('provisioner_name')!r}, which is not installed here: install its "
                "package, or name another kernel."
            )
        return (
            f"No kernel is called {self._name!r}; installed are: "
            f"{', '.join(sorted(there)) or 'none'}. `jupyter kernelspec list` shows where."
        )

    async def start(self, context: zmq.asyncio.Context, *, replay: bool) -> AsyncKernelManager:  # noqa: ARG002
        """Start one of these kernels, with an environment without secrets.

        Raises
        ------
        KernelStartError
            Where its provisioner fails, in whatever way.
        """
        environment = clean_environment(os.environ) | {
            name: value for name, value in os.environ.items() if name in _NAMED_KERNEL_VARIABLES
        }
        if "PYTHONPATH" not in os.environ:
            # Ours names this package's folder; another environment has packages of its own.
            environment.pop("PYTHONPATH", None)
        manager = ChildKernelManager(kernel_name=self._name, context=context)
        # Ours are not inherited: what code writes there would reach the terminal uncleaned.
        nowhere = subprocess.DEVNULL
        try:
            return await started(
                manager, env=environment, stdin=nowhere, stdout=nowhere, stderr=nowhere
            )
        except Exception as error:  # noqa: BLE001 - another's provisioner may raise anything
            raise KernelStartError(
                f"The kernel {self._name!r} could not be started "
                f"({type(error).__name__}: {error}); `jupyter console --kernel {self._name}` "
                "shows more."
            ) from None
