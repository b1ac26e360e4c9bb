"""Starting and finding servers: the embedded CPU server and the user's own `vllm`.

Nothing here asks a model anything (that is `backend`). Importing this package costs nothing; its
modules load what they need when they are imported.
"""
