"""A saved notebook as nbconvert shows it: what is there, and that nothing of a run is markup."""

from __future__ import annotations

from collections import Counter
from typing import Any

import mistune
import nbformat
import pytest
from nbconvert import HTMLExporter, LatexExporter, MarkdownExporter, RSTExporter

from jupyterlab_tir_kernel.bundle import metadata_of, static_bundle
from jupyterlab_tir_kernel.static_run import of_events

from .static_runs import HOSTILE, Page, run_events

FOREIGN = f"{HOSTILE}\n\n{HOSTILE}\n\n[b](javascript:y) ![c](http://127.0.0.1:1/c.png) $x$\n"
"""With empty lines, which end HTML in a Markdown file."""


def notebook(bundle: dict[str, Any], metadata: dict[str, Any]) -> Any:
    made = nbformat.v4.new_notebook()
    cell = nbformat.v4.new_code_cell("%%tir\nSum?", id="solved")
    cell.outputs = [nbformat.v4.new_output("display_data", data=bundle, metadata=metadata)]
    made.cells.append(cell)
    nbformat.validate(made)
    return made


@pytest.fixture(scope="module")
def hostile() -> Any:
    events = run_events([FOREIGN, FOREIGN, None], problem=FOREIGN, claim=FOREIGN, foreign=FOREIGN)
    bundle = static_bundle(of_events(events))
    return notebook(bundle, metadata_of(bundle))


def ours(made: Any) -> str:
    return str(made.cells[0].outputs[0].data["text/html"])


@pytest.mark.parametrize("template", ["lab", "classic", "basic"])
def test_an_html_page_holds_our_elements_and_nothing_from_the_run(
    hostile: Any, template: str
) -> None:
    exporter = HTMLExporter(template_name=template)
    written, around, inside = (
        Page(text)
        for text in (
            exporter.from_notebook_node(hostile)[0],
            exporter.from_notebook_node(notebook({"text/html": "<div>place</div>"}, {}))[0],
            ours(hostile),
        )
    )
    assert not inside.foreign
    assert Counter(written.tags) == Counter(around.tags) - Counter(["div"]) + Counter(inside.tags)
    assert set(written.attributes) == set(around.attributes) | set(inside.attributes)
    assert written.others == around.others
    assert not written.open
    assert "[b](javascript:y)" in written.text


def test_a_page_that_is_sanitised_keeps_the_words_and_numbers(hostile: Any) -> None:
    exporter = HTMLExporter(template_name="basic", sanitize_html=True)
    exporter.config.SanitizeHTML.strip = True
    written, _ = exporter.from_notebook_node(hostile)
    page = Page(written)
    assert {"script", "img", "meter", "details"}.isdisjoint(page.tags)
    # Two answers, both verified, of three samples: all of the weight, a full bar of characters.
    assert "224.00100%0.00" in page.text
    assert "█" * 20 in page.text
    assert not [each for each in page.attributes.get("href", ()) if "javascript" in each]


def test_a_markdown_file_holds_our_elements_and_nothing_from_the_run(hostile: Any) -> None:
    written, _ = MarkdownExporter().from_notebook_node(hostile)
    assert ours(hostile) in written
    # A reader of Markdown that trusts HTML: what is in ours must not become Markdown.
    page = Page(str(mistune.html(written)))
    inside = Page(ours(hostile))
    assert Counter(page.tags) == Counter([*inside.tags, "pre", "code"])
    assert set(page.attributes) == set(inside.attributes)


def test_our_markdown_holds_nothing_from_the_run(hostile: Any) -> None:
    text = hostile.cells[0].outputs[0].data["text/markdown"]
    page = Page(str(mistune.html(text)))
    table = {"table", "thead", "tbody", "tr", "th", "td"}
    assert set(page.tags) == {"p", "strong", "code", "ul", "li"} | table
    assert not page.attributes
    assert "$" not in page.typeset


def test_latex_holds_the_picture_and_nothing_from_the_run(hostile: Any) -> None:
    written, resources = LatexExporter().from_notebook_node(hostile)
    [name] = resources["outputs"]
    assert name == "output_0_0.png"
    assert resources["outputs"][name].startswith(b"\x89PNG")
    assert f"{{{name}}}" in written
    for words in ("alert", "javascript", "AGREES"):
        assert words not in written


def test_restructured_text_holds_our_html_as_one_raw_block(hostile: Any) -> None:
    written, _ = RSTExporter().from_notebook_node(hostile)
    _, _, raw = written.partition(".. raw:: html\n\n")
    [block, *rest] = [line for line in raw.splitlines() if line.strip()]
    assert block.strip() == ours(hostile)
    assert not [line for line in rest if "alert" in line]


def test_a_host_that_takes_pictures_first_shows_the_pictures_words(hostile: Any) -> None:
    exporter = HTMLExporter(template_name="classic")
    exporter.config.NbConvertBase.display_data_priority = ["image/png"]
    written, _ = exporter.from_notebook_node(hostile)
    shown = Page(written)
    assert shown.tags.count("img") == 1
    assert shown.attributes["alt"] == {hostile.cells[0].outputs[0].metadata["image/png"]["alt"]}
    assert shown.attributes["width"] == {"720"}
