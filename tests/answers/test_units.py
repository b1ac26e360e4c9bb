"""Units and currencies beside a value: one spelling each."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers.units import unit_of


@pytest.mark.parametrize(
    ("unit", "texts"),
    [
        ("cm^2", [r"5\text{ cm}^2", "5 cm²", "5 cm^2", r"5\,\text{cm}^{2}", "5 square centimetres",
                  "5 sq. cm", r"5 \mathrm{cm}^2", r"x = 5\text{ cm}^2", r"\boxed{5 \text{ cm}^2}"]),
        ("m^3", ["3 cubic metres", r"3\ \text{m}^3", "3 meters cubed", "3 m³"]),
        ("m", ["5 m", r"5\text{ m}", "5 meters", "5 METRES"]),
        ("%", [r"28\%", "28%", "28 percent", "28 per cent"]),
        ("$", [r"\$10", "$10", "10 dollars", "10 USD", "USD 10", "US$ 10", "-$5", "$1,200.50"]),
        ("€", ["10€", "€10", "10 euros", "10 EUR"]),
        ("°", [r"90^\circ", r"90^{\circ}", "90°", "90 degrees"]),
        ("°C", ["20 °C", r"20^\circ C", "20 degrees Celsius", r"20^\circ\text{C}"]),
        ("mi", ["48 miles", "48 mi", r"48\textnormal{ miles}", "1 mile"]),
        ("mi/h", ["60 mph", "60 miles per hour", r"60\text{ miles/hour}", "60 mi/h"]),
        ("km/h", ["60 km/h", "60 kph", r"60\,\frac{\text{km}}{\text{h}}", "60 kilometers/hour"]),
        ("m/s^2", ["9.8 m/s^2", r"9.8\text{ m/s}^2", r"9.8\ \mathrm{m\,s^{-2}}", "9.8 m s^{-2}"]),
        ("kg*m^2/s^2", [r"5\ \mathrm{kg}\cdot\mathrm{m}^2/\mathrm{s}^2"]),
        ("in", ["12 inches", "12 in.", "3 1/2 inches", "1 inch"]),
        ("cm", [r"2\pi\text{ cm}", r"\frac{1}{2}\text{ cm}", r"\sqrt{2}\ \mathrm{cm}", "10^2 cm"]),
        ("h", [r"\frac{1}{2}\text{ hours}", "2 hrs", "2 h"]),
    ],
)  # fmt: skip
def test_one_spelling_for_each_unit(unit: str, texts: list[str]) -> None:
    assert {text: unit_of(text) for text in texts} == dict.fromkeys(texts, unit)


@pytest.mark.parametrize(
    "text",
    ["5", "5k", "5m", "$5m$", "$5 m$", "7s", r"\frac{5}{2}s", "x + 1", "cm", "yes", "12 students",
     "12 ways", "n!", "x^2", "5 hours 3 minutes", "", "$5$", r"\pi", "3 and 5", "10:30 am", "E",
     "5 in base 7", "x = 3"],
)  # fmt: skip
def test_no_unit_where_none_is_known_to_stand(text: str) -> None:
    assert unit_of(text) is None


@given(
    st.lists(st.sampled_from([*r"5. cm^2{}\$%°/*()⟦⟧", r"\text", r"\frac", "per", "square"])).map(
        "".join
    )
)
def test_any_text_has_a_unit_or_none(text: str) -> None:
    assert unit_of(text) != ""


@pytest.mark.parametrize("piece", ["5", "5 cm ", "⟦", "\\text{", "5(", "1)", "$", "}", "\\", "^"])
def test_long_text_is_read_in_no_time(piece: str) -> None:
    started = time.thread_time()
    for size in (1_999, 1_000_000):
        unit_of((piece * size)[:size])
    assert time.thread_time() - started < 2
