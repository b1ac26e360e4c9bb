"""`python -m jupyterlab_tir` is `tir`."""

from .cli import main

if __name__ == "__main__":
    main()
