"""Settings: their ranges, their sources, and one clear sentence for each mistake."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest

from jupyterlab_tir.config import (
    Config,
    ResolvedConfig,
    SandboxChoice,
    make_config,
    read_setting,
    resolve,
    settings,
)
from jupyterlab_tir.errors import UsageError

NOWHERE = Path("/dev/null")


def refused(**values: object) -> str:
    with pytest.raises(UsageError) as caught:
        make_config(**values)
    return str(caught.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tir.toml"


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("samples", [1, 1024], [0, -1, 1025, 1.5]),
        ("parallel", [1, 64], [0, 65]),
        ("kernels", [1, 256], [0, 257]),
        ("memory", [64, 1_048_576], [63, 1_048_577]),
        ("memory_share", [0.001, 0.9], [0, 0.91]),
        ("temperature", [0.1, 2], [-0.1, 2.1]),
        ("top_p", [0.001, 1], [0, 1.1]),
        ("min_p", [0, 1], [-0.1, 1.1]),
        ("max_tokens_turn", [16, 1_000_000], [15, 1_000_001]),
        ("max_tokens", [16, 1_000_000], [15, 1_000_001]),
        ("max_turns", [1, 64], [0, 65]),
        ("seed", [0, 2**53 - 1], [-1, 2**53]),
        ("timeout", [0.1, 30], [0, 0.09, 30.1]),
        ("deadline", [1, 86_400], [0.9, 86_401]),
        ("stall", [1, 3600], [0.5, 3601]),
        ("retries", [0, 10], [-1, 11]),
        ("w_code", [1, 10], [0.99, 10.1]),
        ("top_logprobs", [0, 20], [-1, 21]),
        ("tau", [0.5, 1], [0.49, 1.01, 2]),
        ("min_answers", [1, 1024], [0, 1025]),
        ("ahead", [1, 1.25, 64], [0.99, 64.1]),
        ("max_blocks", [1, 64], [0, 65, 1.5]),
        ("entropy_window", [1, 1_000_000], [0, -1, 1_000_001]),
        ("mod", [2, 2**53 - 1], [1, 0, -7, 2**53]),
    ],
)
def test_range_of_each_number(name: str, inside: list[float], outside: list[float]) -> None:
    for value in inside:
        assert getattr(make_config(**{name: value}), name) == value
        assert getattr(make_config(**{name: str(value)}), name) == value
    for value in [*outside, "many", "", "nan", "inf", float("nan"), float("inf"), True, [1]]:
        assert refused(**{name: value}).startswith(f"{name} is ")
        assert ", but must be a" in refused(**{name: value})


def test_every_number_has_its_range_tested() -> None:
    [marks] = test_range_of_each_number.pytestmark  # type: ignore[attr-defined]
    tested = {case[0] for case in marks.args[1]}
    assert tested == {each.name for each in settings() if "number" in each.allowed}


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("mode", "code", "one of tir, blocks, text"),
        ("dialect", "harmony", "one of auto, fewshot, fenced"),
        ("policy", "borda", "one of weighted, blocks, majority, votes-first"),
        ("answer", "number", "one of integer, expression, choice, text"),
        ("range", "5", "LOW..HIGH, LOW.. or ..HIGH"),
        ("range", "..", "LOW..HIGH, LOW.. or ..HIGH"),
        ("range", "0...5", "LOW..HIGH, LOW.. or ..HIGH"),
        ("range", "a..b", "LOW..HIGH, LOW.. or ..HIGH"),
        ("range", "0..1,000", "LOW..HIGH, LOW.. or ..HIGH"),
        ("verify", "perhaps", "true or false"),
        ("write", "perhaps", "true or false"),
        (
            "sandbox",
            "full ns",
            "one of auto, full+ns, full, nofs, partial, none, best",
        ),
        ("kernel", "../python3", "a kernel's name"),
        ("kernel", "", "a kernel's name"),
        ("preload", "numpy; import os", "module names with commas between them"),
        ("preload", "numpy,", "module names with commas between them"),
        ("preload", "a..b", "module names with commas between them"),
    ],
)
def test_choices_are_named(name: str, value: str, allowed: str) -> None:
    assert refused(**{name: value}) == f"{name} is '{value}', but must be {allowed}."


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"samples": 0}, "samples is 0, but must be a whole number from 1 to 1,024."),
        ({"samples": "0"}, "samples is '0', but must be a whole number from 1 to 1,024."),
        ({"tau": 2}, "tau is 2, but must be a number from 0.5 to 1."),
        ({"tau": float("nan")}, "tau is nan, but must be a number from 0.5 to 1."),
        ({"top_p": 0}, "top_p is 0, but must be a number above 0, at most 1."),
        (
            {"temperature": 0, "samples": 5},
            (
                "At temperature 0 all 5 samples would be the same: "
                "raise the temperature or ask for one sample."
            ),
        ),
        (
            {"range": "5..1"},
            "The range 5..1 ends below its beginning: write the lower bound first.",
        ),
        (
            {"range": "1..", "answer": "text"},
            (
                "Answers of the kind text are no numbers, which range is about: "
                "leave one of answer and range out."
            ),
        ),
        (
            {"mod": 7, "answer": "choice"},
            (
                "Answers of the kind choice are no numbers, which mod is about: "
                "leave one of answer and mod out."
            ),
        ),
        (
            {"mod": 7, "range": "7..9"},
            "No remainder of 7 lies in the range 7..9: leave one of range and mod out.",
        ),
        ({"sampels": 8}, "The option sampels is not a setting: did you mean samples?"),
        ({"xyzzy": 8}, "The option xyzzy is not a setting: `tir config` lists the settings."),
        (
            {"model": "caf\udce9"},
            r"model is 'caf\udce9', which is not valid text: write it as UTF-8.",
        ),
    ],
)
def test_mistake_gets_one_sentence(values: dict[str, object], sentence: str) -> None:
    assert refused(**values) == sentence


def test_one_sample_may_be_taken_at_temperature_0() -> None:
    assert make_config(samples=1, temperature=0).temperature == 0


@pytest.mark.parametrize("sandbox", typing.get_args(SandboxChoice))
def test_every_sandbox_level_is_taken_from_each_source(sandbox: str, file: Path) -> None:
    file.write_text(f'sandbox = "{sandbox}"\n')
    assert make_config(sandbox=sandbox).sandbox == sandbox
    assert read_setting("sandbox", sandbox) == sandbox
    assert resolve(environ={}, file=file).config.sandbox == sandbox
    assert environment(TIR_SANDBOX=sandbox).config.sandbox == sandbox


def test_sandbox_is_on_unless_someone_says_otherwise() -> None:
    assert (Config().sandbox, Config().kernel, Config().write) == ("auto", None, True)


@pytest.mark.parametrize("sandbox", ["auto", "best", "none"])
def test_named_kernel_is_taken_where_no_level_is_asked_of_it(sandbox: str) -> None:
    config = make_config(kernel="my-kernel_3.11", sandbox=sandbox)
    assert (config.kernel, config.sandbox) == ("my-kernel_3.11", sandbox)


@pytest.mark.parametrize("sandbox", ["full+ns", "full", "nofs", "partial"])
def test_named_kernel_is_refused_with_a_level_that_it_would_not_keep(sandbox: str) -> None:
    assert refused(kernel="python3", sandbox=sandbox) == (
        "The kernel python3 is confined by whatever starts it, not by the sandbox level "
        f"{sandbox}: leave one of kernel and sandbox out."
    )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"preload": "pandas"}, "leave one of kernel and preload out."),
        ({"write": False}, "or the setting that forbids writing."),
    ],
)
def test_named_kernel_is_refused_with_what_only_our_own_can_do(
    values: dict[str, object], sentence: str
) -> None:
    said = refused(kernel="python3", **values)
    assert said.startswith("The kernel python3 ")
    assert said.endswith(sentence)


@pytest.mark.parametrize("preload", ["", "pandas", " pandas , a.b_1.c", "é"])
def test_modules_to_preload_are_named_with_commas(preload: str) -> None:
    assert make_config(preload=preload).preload == preload


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8000",
        "127.0.0.1:8000/v1",
        "http:/localhost/v1",
        "ftp://localhost/v1",
        "http://",
        "http:///v1",
        "http://:8000/v1",
        "http://localhost:99999/v1",
        "http://localhost:port/v1",
        "http://[::1/v1",
        "http://local host/v1",
        "http://localhost/v1\n",
        "http://localhost/\x1b[31m",
        "file.json",
        "",
    ],
)
def test_what_is_no_address_is_refused_before_anything_is_asked(address: str) -> None:
    assert refused(base_url=address) == (
        f"The base URL {address!r} is not an address: write it with its scheme, "
        "for example http://127.0.0.1:8000/v1."
    )


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8000/v1",
        "https://example.org",
        "http://[::1]:8000/v1/",
        "http://localhost/at/@cf/v1",
        "scripted:replies at @home.json",
        "echo",
    ],
)
def test_addresses_and_scripted_servers_are_taken(address: str) -> None:
    assert make_config(base_url=address).base_url == address


def test_key_in_the_query_of_an_address_is_refused_and_not_repeated() -> None:
    for address in ("http://localhost/v1?api_key=hunter2", "https://localhost/v1#hunter2"):
        said = refused(base_url=address)
        assert said.startswith("The base URL holds a question mark or a number sign")
        assert "hunter2" not in said


@pytest.mark.parametrize(
    "address",
    [
        "http://user:hunter2@localhost:8000/v1",
        "https://hunter2@localhost/v1",
        "user:hunter2@localhost:8000/v1",
        "ftp://user:hunter2@localhost",
        "http://user:hunter2/x@localhost",
    ],
)
def test_password_in_an_address_is_refused_and_not_repeated(address: str) -> None:
    said = refused(base_url=address)
    assert said.startswith("The base URL holds a user name or password")
    assert "api_key_env" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    "pasted",
    ["sk-proj-hunter2", "hf_hunter2", "hunter2", "HUNTER2 ", "HUNTER2\n", "", "2HUNTER", 7],
)
def test_key_pasted_in_place_of_its_variable_is_never_repeated(pasted: object, file: Path) -> None:
    said = [refused(api_key_env=pasted)]
    if pasted:
        with pytest.raises(UsageError) as caught:
            resolve(environ={"TIR_API_KEY_ENV": str(pasted)}, file=NOWHERE)
        said.append(str(caught.value))
    file.write_text(f"api_key_env = {str(pasted)!r}\n".replace("'", '"'))
    with pytest.raises(UsageError) as caught:
        resolve(environ={}, file=file)
    said.append(str(caught.value))
    for sentence in said:
        assert "must be the name of the environment variable that holds the API key" in sentence
        assert "hunter2" not in sentence.lower()


def test_variable_of_a_key_is_named() -> None:
    assert make_config(api_key_env="MY_KEY_2").api_key_env == "MY_KEY_2"


def test_key_as_an_unknown_setting_of_the_file_is_not_repeated(file: Path) -> None:
    file.write_text('api_key = "sk-hunter2"\n')
    with pytest.raises(UsageError) as caught:
        resolve(environ={}, file=file)
    assert str(caught.value) == f"{file}: api_key is not a setting: did you mean api_key_env?"


URLS = [f"http://{name}:1/v1" for name in ("option", "tir", "openai", "file")]


@pytest.mark.parametrize("strongest", range(5))
def test_sources_in_their_order(strongest: int, file: Path) -> None:
    """Option, then TIR_*, then OPENAI_BASE_URL, then the file, then the default."""
    option, tir, openai, filed = URLS
    options = {"base_url": option if strongest < 1 else None}
    environ = {}
    if strongest < 2:
        environ["TIR_BASE_URL"] = tir
    if strongest < 3:
        environ["OPENAI_BASE_URL"] = openai
    if strongest < 4:
        file.write_text(f'base_url = "{filed}"\n')
    found = resolve(options, environ=environ, file=file)
    assert found.config.base_url == [*URLS, None][strongest]
    assert (
        found.sources["base_url"]
        == [
            "option",
            "environment TIR_BASE_URL",
            "environment OPENAI_BASE_URL",
            f"file {file}",
            "default",
        ][strongest]
    )


def test_every_setting_can_come_from_the_environment_and_the_file(file: Path) -> None:
    others: dict[str, object] = {
        "base_url": "echo",
        "model": "m",
        "api_key_env": "MY_KEY",
        "mode": "blocks",
        "dialect": "fenced",
        "answer": "integer",
        "range": "0..6",
        "mod": 7,
        "samples": 3,
        "parallel": 2,
        "ahead": 2.5,
        "sandbox": "full+ns",
        "kernels": 2,
        "memory": 512,
        "memory_share": 0.25,
        "write": False,
        "preload": "pandas, a.b",
        "temperature": 0.5,
        "top_p": 0.9,
        "min_p": 0.1,
        "max_tokens_turn": 100,
        "max_tokens": 200,
        "max_turns": 3,
        "seed": 7,
        "timeout": 5.0,
        "deadline": 60.0,
        "stall": 30.0,
        "retries": 1,
        "verify": False,
        "w_code": 1.5,
        "top_logprobs": 3,
        "entropy_window": 64,
        "policy": "majority",
        "max_blocks": 3,
        "stop": "beta:0.9,lead:3",
        "tau": 0.9,
        "min_answers": 2,
    }
    # A named kernel goes with few of the others, and has its own test below.
    known = [each for each in settings() if each.name != "kernel"]
    assert set(others) == {each.name for each in known}
    lines = [
        f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n"
        for name, value in others.items()
    ]
    file.write_text("".join(lines).replace("'", '"'))
    environ = {each.environment: str(others[each.name]) for each in known}
    from_file = resolve(environ={}, file=file)
    from_environment = resolve(environ=environ, file=NOWHERE)
    assert from_file.config == from_environment.config == Config(**others)  # type: ignore[arg-type]
    assert from_file.sources == {
        "kernel": "default",
        **dict.fromkeys(others, f"file {file}"),
    }
    assert from_environment.sources == {
        "kernel": "default",
        **{each.name: f"environment {each.environment}" for each in known},
    }


@pytest.mark.parametrize(
    "stop",
    ["share", "none", "share:0.8", "share,lead:3", " planned:0.75 , window:5", "uncatchable"],
)
def test_stop_rules_are_kept_as_written(stop: str) -> None:
    assert make_config(stop=stop).stop == stop
    assert environment(TIR_STOP=stop).config.stop == stop


@pytest.mark.parametrize(
    ("stop", "sentence"),
    [
        ("beta", "The stop rule beta takes a probability from 0.5 to below 1, as in beta:0.95; "),
        ("share:75", "The stop rule share takes a share from 0.5 to 1, as in share:0.75; it got '"),
        ("lead:1025", "The stop rule lead takes a whole number from 1 to 1024, as in lead:3; it "),
        ("sahre", "There is no stop rule 'sahre': choose from usual, share:0.75, planned:0.75, "),
        ("", "There is no stop rule ''"),
        ("none,lead:3", "The stop rule none stands alone"),
        ("share,share:0.8", "The stop rule share is there twice"),
        ("x" * 1_000_000, "There is no stop rule 'xxx"),
    ],
)
def test_stop_rules_that_cannot_be_are_refused_before_a_run(stop: str, sentence: str) -> None:
    assert refused(stop=stop).startswith(sentence)
    assert len(refused(stop=stop)) < 200


def test_kernel_can_come_from_the_environment_and_the_file(file: Path) -> None:
    file.write_text('kernel = "python3"\n')
    assert resolve(environ={}, file=file).config == Config(kernel="python3")
    assert environment(TIR_KERNEL="python3").config == Config(kernel="python3")


def environment(**values: str) -> ResolvedConfig:
    return resolve(environ=values, file=NOWHERE)


@pytest.mark.parametrize("written", ["false", "False", "FALSE", "0"])
def test_false_in_the_environment_is_false(written: str) -> None:
    assert environment(TIR_VERIFY=written).config.verify is False


@pytest.mark.parametrize("written", ["true", "True", "1"])
def test_true_in_the_environment_is_true(written: str) -> None:
    assert environment(TIR_VERIFY=written).config.verify is True


def test_empty_variable_counts_as_unset() -> None:
    found = environment(TIR_SAMPLES="", OPENAI_BASE_URL="", TIR_VERIFY="")
    assert found.config == Config()
    assert set(found.sources.values()) == {"default"}


def test_mistake_in_the_environment_names_the_variable() -> None:
    with pytest.raises(UsageError, match=r"^TIR_TAU is '2', but must be a number from 0\.5 to 1"):
        environment(TIR_TAU="2")


def test_mistake_in_the_file_names_the_file(file: Path) -> None:
    file.write_text("tau = 2\n")
    with pytest.raises(UsageError) as caught:
        resolve(environ={}, file=file)
    assert str(caught.value) == f"tau in {file} is 2, but must be a number from 0.5 to 1."


def test_unknown_key_in_the_file_is_refused_with_the_nearest_name(file: Path) -> None:
    file.write_text("sample = 4\n")
    with pytest.raises(UsageError) as caught:
        resolve(environ={}, file=file)
    assert str(caught.value) == f"{file}: sample is not a setting: did you mean samples?"


@pytest.mark.parametrize("broken", [b"samples = ", b"samples 4", b"model = '\xff'", b"[tir"])
def test_broken_file_is_named_with_the_place(broken: bytes, file: Path) -> None:
    file.write_bytes(broken)
    with pytest.raises(UsageError) as caught:
        resolve(environ={}, file=file)
    assert str(caught.value).startswith(f"The settings file {file} cannot be read (")
    assert str(caught.value).endswith("): mend or remove it.")


def test_file_with_a_byte_order_mark_is_read(file: Path) -> None:
    file.write_text("\ufeffsamples = 3\n", encoding="utf-8")
    assert resolve(environ={}, file=file).config.samples == 3


def test_absent_file_is_no_mistake(file: Path) -> None:
    assert resolve(environ={}, file=file).config == Config()


def test_file_is_found_where_tir_config_says(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file.write_text("samples = 3\n")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    monkeypatch.delenv("TIR_CONFIG", raising=False)
    assert resolve(environ={}).config.samples == 3
    other = tmp_path / "other.toml"
    other.write_text("samples = 4\n")
    monkeypatch.setenv("TIR_CONFIG", str(other))
    assert resolve(environ={}).config.samples == 4


def test_values_alone_take_nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIR_SAMPLES", "3")
    assert make_config().samples == 8


def test_every_setting_has_help_and_a_range_in_words() -> None:
    described = settings()
    assert [each.name for each in described] == list(Config.__struct_fields__)
    for each in described:
        assert each.help.endswith("."), each.name
        assert each.allowed, each.name
        assert "None" not in each.allowed, each.name
        assert each.environment == "TIR_" + each.name.upper()


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("base_url", "text"),
        ("api_key_env", "a variable's name"),
        ("verify", "true or false"),
        ("seed", "a whole number from 0 to 9,007,199,254,740,991"),
        ("temperature", "a number from 0 to 2"),
        ("max_tokens_turn", "a whole number from 16 to 1,000,000"),
        ("top_p", "a number above 0, at most 1"),
        ("memory_share", "a number above 0, at most 0.9"),
        ("kernel", "a kernel's name"),
        ("preload", "module names with commas between them"),
        ("timeout", "a number from 0.1 to 30"),
    ],
)
def test_range_in_words(name: str, allowed: str) -> None:
    assert {each.name: each.allowed for each in settings()}[name] == allowed


def test_whole_help_names_a_default_where_there_is_one() -> None:
    helps = {each.name: each.whole_help for each in settings()}
    assert helps["samples"] == "Attempts to plan. Default: 8. [a whole number from 1 to 1,024]"
    for name in ("preload", "kernel", "seed"):
        assert "Default: ." not in helps[name]
        assert "None" not in helps[name]


def test_defaults_lie_in_their_ranges() -> None:
    given = {each.name: each.default for each in settings() if each.default is not None}
    assert make_config(**given) == Config()
