"""A Jupyter kernel to the stock client of jupyter_client: the messages of the protocol."""

from __future__ import annotations

import queue
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
import zmq
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.session import Session

from .driver import control, finish, published_until, reply_to, run

if TYPE_CHECKING:
    from jupyter_client.manager import KernelManager


def test_messages_about_a_cell_come_in_order_and_carry_its_header(
    shared: BlockingKernelClient,
) -> None:
    ran = run(shared, "print('said')\n6 * 7")
    assert ran.kinds == ["status", "execute_input", "stream", "execute_result", "status"]
    assert ran.of_kind("status") == [{"execution_state": "busy"}, {"execution_state": "idle"}]
    assert ran.of_kind("execute_input")[0]["code"] == "print('said')\n6 * 7"
    assert ran.of_kind("stream") == [{"name": "stdout", "text": "said\n"}]
    assert ran.of_kind("execute_result") == [
        {"execution_count": 0, "data": {"text/plain": "42"}, "metadata": {}}
    ]
    assert ran.content["status"] == "ok"
    assert ran.content["user_expressions"] == {}
    assert ran.reply["msg_type"] == "execute_reply"
    ids = set()
    for message in (ran.reply, *ran.published):
        header = message["header"]
        assert header["msg_type"] == message["msg_type"]
        assert header["version"].startswith("5.")
        assert header["username"]
        assert header["date"].tzinfo is not None
        assert abs((header["date"] - datetime.now(UTC)).total_seconds()) < 600
        assert message["parent_header"]["session"] == shared.session.session
        ids.add(header["msg_id"])
    assert len(ids) == 6
    assert len({message["header"]["session"] for message in ran.published}) == 1


def test_execute_interactive_of_the_stock_client_works(shared: BlockingKernelClient) -> None:
    seen = []
    reply = shared.execute_interactive("print('hello')", timeout=60, output_hook=seen.append)
    assert reply["content"]["status"] == "ok"
    texts = [message["content"]["text"] for message in seen if message["msg_type"] == "stream"]
    assert texts == ["hello\n"]


def test_kernel_info_has_the_fields_of_the_protocol(shared: BlockingKernelClient) -> None:
    for info in (
        reply_to(shared, shared.kernel_info()),
        control(shared, "kernel_info_request")["content"],
    ):
        assert info["status"] == "ok"
        assert info["protocol_version"] == "5.4"
        assert info["implementation"] == "jupyterlab_tir"
        language = info["language_info"]
        assert (language["name"], language["file_extension"]) == ("python", ".py")
        assert language["mimetype"] == "text/x-python"
        for field, kind in (
            ("implementation_version", str),
            ("banner", str),
            ("help_links", list),
            ("supported_features", list),
        ):
            assert isinstance(info[field], kind), field


def test_completion_inspection_and_completeness(shared: BlockingKernelClient) -> None:
    run(shared, "some_long_name = 1")
    completed = reply_to(shared, shared.complete("x = some_lo", 11))
    assert (completed["status"], completed["matches"]) == ("ok", ["some_long_name"])
    assert (completed["cursor_start"], completed["cursor_end"]) == (4, 11)
    found = reply_to(shared, shared.inspect("some_long_name", 3))
    assert (found["status"], found["found"]) == ("ok", True)
    assert "int" in found["data"]["text/plain"]
    missing = reply_to(shared, shared.inspect("nothing_like_it", 3))
    assert (missing["status"], missing["found"], missing["data"]) == ("ok", False, {})
    assert reply_to(shared, shared.is_complete("x = 1")) == {"status": "complete"}
    assert reply_to(shared, shared.is_complete("if x:")) == {
        "status": "incomplete",
        "indent": "    ",
    }
    assert reply_to(shared, shared.is_complete("x = = 1"))["status"] == "invalid"


def test_history_and_comms_are_empty(shared: BlockingKernelClient) -> None:
    assert reply_to(shared, shared.history()) == {"status": "ok", "history": []}
    assert reply_to(shared, shared.comm_info()) == {"status": "ok", "comms": {}}
    opened = shared.session.msg("comm_open", {"comm_id": "7", "target_name": "any", "data": {}})
    shared.shell_channel.send(opened)
    closed = published_until(shared, "comm_close")[-1]
    assert closed["content"] == {"comm_id": "7", "data": {}}


def test_unknown_request_is_passed_over(shared: BlockingKernelClient) -> None:
    for channel in (shared.shell_channel, shared.control_channel):
        message = shared.session.msg("unheard_of_request", {})
        channel.send(message)
        states = []
        while states[-1:] != ["idle"]:
            status = shared.get_iopub_msg(timeout=60)
            if status["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                states.append(status["content"]["execution_state"])
        assert states == ["busy", "idle"]
    assert run(shared, "1").value == "1"


@pytest.mark.parametrize("content", [{}, {"code": 7}, {"code": "1", "silent": "no"}])
def test_execute_request_with_wrong_fields_is_refused(
    shared: BlockingKernelClient, content: dict[str, Any]
) -> None:
    message = shared.session.msg("execute_request", content)
    shared.shell_channel.send(message)
    ran = finish(shared, message["header"]["msg_id"])
    assert ran.content["status"] == "error"
    assert run(shared, "1").value == "1"


def test_debugging_is_refused(shared: BlockingKernelClient) -> None:
    reply = control(shared, "debug_request", type="request", seq=1, command="initialize")
    assert reply["msg_type"] == "debug_reply"
    assert reply["content"]["status"] == "error"


def test_error_stops_what_waits_and_only_that(shared: BlockingKernelClient) -> None:
    first = shared.execute("import time; time.sleep(1); 1 / 0", stop_on_error=True)
    second = shared.execute("2")
    third = shared.kernel_info()
    assert reply_to(shared, first)["ename"] == "ZeroDivisionError"
    assert reply_to(shared, second) == {"status": "aborted"}
    assert reply_to(shared, third)["status"] == "ok"
    assert run(shared, "4").value == "4"


def test_error_stops_nothing_where_the_client_says_so(shared: BlockingKernelClient) -> None:
    first = shared.execute("1 / 0", stop_on_error=False)
    second = shared.execute("2")
    assert reply_to(shared, first)["status"] == "error"
    assert reply_to(shared, second)["status"] == "ok"


def test_silent_code_shows_and_counts_nothing(client: BlockingKernelClient) -> None:
    before = run(client, "get_ipython().execution_count").value
    ran = run(client, "kept = 1\n5", silent=True, store_history=True)
    assert ran.kinds == ["status", "status"]
    assert ran.content["payload"] == []
    assert run(client, "kept, get_ipython().execution_count").value == f"(1, {before})"
    # Its number is not taken from the cells.
    assert run(client, "1 / 0").content["traceback"] == ["cell 3, line 1: 1 / 0"]


def test_stored_cells_are_counted(client: BlockingKernelClient) -> None:
    assert run(client, "'a'", store_history=True).content["execution_count"] == 1
    ran = run(client, "'b'", store_history=True)
    assert ran.content["execution_count"] == 2
    assert ran.of_kind("execute_result")[0]["execution_count"] == 2
    assert run(client, "_, __, Out[1], In[2]").value == "('b', 'a', 'a', \"'b'\")"


def test_user_expressions_are_evaluated_after_the_cell(shared: BlockingKernelClient) -> None:
    ran = run(shared, "y = 3", user_expressions={"good": "y + 1", "bad": "1 / 0"})
    good, bad = ran.content["user_expressions"]["good"], ran.content["user_expressions"]["bad"]
    assert (good["status"], good["data"]) == ("ok", {"text/plain": "4"})
    assert (bad["status"], bad["ename"]) == ("error", "ZeroDivisionError")
    assert run(shared, "1 / 0", user_expressions={"a": "1"}).content["user_expressions"] == {}


def test_input_is_refused_even_where_the_client_would_ask(shared: BlockingKernelClient) -> None:
    ran = run(shared, "input('name?')", allow_stdin=True)
    assert ran.content["ename"] == "StdinNotImplementedError"
    assert ran.content["evalue"] == (
        "raw_input was called, but this frontend does not support input requests."
    )
    assert run(shared, "import getpass; getpass.getpass()").content["ename"] == (
        "StdinNotImplementedError"
    )


def test_each_new_subscriber_is_welcomed(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    assert client.is_alive()
    for topic in ("", "stream", ""):
        with zmq.Context() as context, context.socket(zmq.SUB) as socket:
            socket.linger = 0
            socket.subscribe(topic)
            socket.connect(f"ipc://{manager.ip}-{manager.iopub_port}")
            assert socket.poll(60_000)
            _, parts = client.session.feed_identities(socket.recv_multipart())
            welcome = client.session.deserialize(parts)
            assert welcome["msg_type"] == "iopub_welcome"
            assert welcome["content"] == {"subscription": topic}
            assert welcome["parent_header"] == {}


def test_two_clients_get_their_own_replies(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    other = BlockingKernelClient()
    other.load_connection_info(manager.get_connection_info())
    other.start_channels()
    try:
        other.wait_for_ready(timeout=60)
        first = client.execute("'first'")
        second = other.execute("'second'")
        assert finish(client, first).value == "'first'"
        assert finish(other, second).value == "'second'"
    finally:
        other.stop_channels()


@pytest.mark.parametrize("fault", ["unsigned", "wrong key", "sent twice"])
def test_messages_that_are_not_signed_or_come_twice_are_dropped(
    manager: KernelManager, client: BlockingKernelClient, fault: str
) -> None:
    session = client.session if fault == "sent twice" else Session(key=b"another")
    message = client.session.msg(
        "execute_request", {"code": "count = globals().get('count', 0) + 1"}
    )
    frames = session.serialize(message)
    if fault == "unsigned":
        frames[1] = b""
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.linger = 0
        socket.connect(f"ipc://{manager.ip}-{manager.shell_port}")
        for _ in range(3):
            socket.send_multipart(frames)
        # Behind the others in the same queue, so that those were looked at when it is answered.
        socket.send_multipart(client.session.serialize(client.session.msg("kernel_info_request")))
        replies = []
        while replies[-1:] != ["kernel_info_reply"]:
            assert socket.poll(60_000)
            _, parts = client.session.feed_identities(socket.recv_multipart())
            replies.append(client.session.deserialize(parts)["msg_type"])
    expected = {"sent twice": "1"}.get(fault, "0")
    assert run(client, "globals().get('count', 0)").value == expected


def test_garbage_on_every_channel_is_survived(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    session = client.session
    header = session.pack(session.msg_header("execute_request"))
    signed = [
        [b"1", b"2", b"3", b"4"],
        [b"[" * 50_000] * 4,
        [header, b"{}", b"{}", b"[]"],
        [header, b"{}", b"{}", b"{"],
        [b'{"msg_id": 7, "msg_type": "execute_request"}', b"{}", b"{}", b"{}"],
    ]
    messages = [[b"", b"<IDS|MSG>"], [b"<IDS|MSG>", b""], [b"x"], [b"<IDS|MSG>"]]
    messages += [[b"<IDS|MSG>", session.sign(parts), *parts] for parts in signed]
    with zmq.Context() as context:
        for port in (manager.shell_port, manager.control_port, manager.stdin_port):
            with context.socket(zmq.DEALER) as socket:
                socket.linger = 1000
                socket.connect(f"ipc://{manager.ip}-{port}")
                for frames in messages:
                    socket.send_multipart(frames)
    assert run(client, "'alive'").value == "'alive'"
    assert control(client, "kernel_info_request")["content"]["status"] == "ok"


def test_code_with_half_a_surrogate_pair_is_answered(shared: BlockingKernelClient) -> None:
    assert run(shared, "'\\ud800'").value == "'\\ud800'"
    ran = run(shared, "raise ValueError('\\ud800')")
    assert ran.content["ename"] == "ValueError"


def test_heart_beats_and_control_answers_while_a_cell_sleeps(client: BlockingKernelClient) -> None:
    request = client.execute("import time\nprint('begun', flush=True)\ntime.sleep(4)")
    published_until(client, "stream")
    begun = time.monotonic()
    assert control(client, "kernel_info_request")["content"]["status"] == "ok"
    assert time.monotonic() - begun < 3
    client.hb_channel.unpause()
    deadline = time.monotonic() + 60
    while not client.hb_channel.is_beating() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert client.hb_channel.is_beating()
    assert reply_to(client, request)["status"] == "ok"


def test_control_answers_while_a_cell_computes(client: BlockingKernelClient) -> None:
    client.execute("print('begun', flush=True)\nwhile True: pass")
    published_until(client, "stream")
    assert control(client, "kernel_info_request")["content"]["status"] == "ok"
    assert control(client, "interrupt_request")["content"] == {"status": "ok"}
    assert client.get_shell_msg(timeout=60)["content"]["ename"] == "KeyboardInterrupt"


def test_nothing_is_published_about_nothing(client: BlockingKernelClient) -> None:
    run(client, "1")
    with pytest.raises(queue.Empty):
        client.get_iopub_msg(timeout=0.5)
