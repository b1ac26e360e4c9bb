"""Stands in for vLLM's API server: a child of its own, loading that takes time, three endpoints.

`FAKE_VLLM` in the environment is a JSON object: `loading_s`, `die` (a message to die with while
loading), `stubborn` (ignore SIGTERM), `children` (a file to which process numbers are written).
"""

from __future__ import annotations

import argparse
import http.server
import json
import os
import signal
import subprocess
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    model = ""

    def do_GET(self) -> None:
        body = {"object": "list", "data": [{"id": self.model, "max_model_len": 4096}]}
        data = json.dumps(body if self.path == "/v1/models" else {}).encode()
        self.send_response(200 if self.path in {"/health", "/v1/models"} else 404)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main() -> None:
    wishes = json.loads(os.environ.get("FAKE_VLLM", "{}"))
    parser = argparse.ArgumentParser()
    for name in ("--model", "--host", "--served-model-name"):
        parser.add_argument(name)
    parser.add_argument("--port", type=int)
    arguments = parser.parse_args()
    Handler.model = arguments.served_model_name or arguments.model
    if wishes.get("stubborn"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # Like vLLM's engine core: outlives the API server unless somebody ends it; in its own session.
    engine = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    if "children" in wishes:
        with open(wishes["children"], "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(f"{os.getpid()}\n{engine.pid}\n")
    print("(EngineCore pid=1) INFO 11-29 18:59:46 [core.py:1] Loading weights", flush=True)  # noqa: T201
    if "die" in wishes:
        print(wishes["die"], file=sys.stderr, flush=True)  # noqa: T201
        raise SystemExit(1)
    time.sleep(wishes.get("loading_s", 0.0))
    http.server.ThreadingHTTPServer((arguments.host, arguments.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
