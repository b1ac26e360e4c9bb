"""The lock of the embedded server's environment, and what it is made from."""
