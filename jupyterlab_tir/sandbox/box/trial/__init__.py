"""Trying the box on this machine: `python -m jupyterlab_tir.sandbox.box.trial`.

`planted.py` is what lies outside of the box and sees whether it was reached, `attempts.py` what a
boxed process tries, `__main__.py` the processes.
"""
