"""What runs in a child's process: the fork server and the kernel that it forks.

Nothing here is a boundary: the code of cells shares the process and can undo all of it. The box
(`sandbox/box/`) confines the process, and the engine's side trusts nothing that a kernel sends.
"""
