"""The bug lab: every mutant and every lamp against its twin in torch, its traits, and its controls in a browser."""

import json
import math
import re
from itertools import combinations

import pytest
import torch
from playwright.sync_api import Page, expect
from reader import answer, button, enter_full_screen, run, show

import linattn
from linattn.checks import mutants
from linattn.checks.mutants import CHECKS, MUTANTS
from linattn.widgets import BugLab
from linattn.widgets.bug_lab import RIGHT, draw, limit, told
from linattn.widgets.still import number

BUGS = list(MUTANTS)


@pytest.fixture
def javascript(page):
    def call(expression: str, *arguments: object) -> object:
        lab = "const lab = { ...$bug_lab_math, ...$bug_lab_words, ...$bug_lab_asks };"
        return run(page, "bug_lab_asks", f"(...x) => {{ {lab} return ({expression})(...x); }}", *arguments)

    return call


def test_names_and_their_order_are_those_of_the_mutants(javascript):
    assert javascript("() => Object.keys(lab.mutants)") == BUGS
    assert javascript("() => Object.keys(lab.checks)") == list(CHECKS)


@pytest.mark.parametrize("name", BUGS)
def test_every_mutant_equals_its_twin_in_torch(javascript, name):
    for seed, (n, d) in enumerate([(6, 4), (1, 1), (8, 3)]):
        q, k, v = draw(seed, 5, n, d)
        wanted = MUTANTS[name](q, k, v)
        cases = [[q[b].tolist(), k[b].tolist(), v[b].tolist()] for b in range(5)]
        found = javascript("(name, cases) => cases.map(([q, k, v]) => lab.mutants[name](q, k, v))", name, cases)
        torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), wanted, rtol=1e-6, atol=1e-9)


def test_the_right_function_is_right(javascript):
    q, k, v = draw(4, 1, 7, 3)
    found = javascript("lab.right", q[0].tolist(), k[0].tolist(), v[0].tolist())
    wanted = linattn.causal_linear_attention(q, k, v)[0]
    torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 9999])
def test_both_sides_draw_the_same_gaussian_numbers(javascript, seed):
    found = javascript("lab.draw", seed, 3, 4, 2)
    for one, name in enumerate("qkv"):
        x = torch.tensor([sequence[name] for sequence in found], dtype=torch.float64)
        torch.testing.assert_close(x, draw(seed, 3, 4, 2)[one], rtol=1e-12, atol=1e-12)
    many = torch.cat([x.flatten() for x in draw(seed, 64, 8, 8)])
    assert abs(many.mean()) < 0.05 and abs(many.std() - 1) < 0.05


@pytest.mark.parametrize(("seed", "sequences", "n", "d"), [(0, 64, 6, 4), (1, 4, 3, 2), (2, 1, 1, 1), (3, 16, 8, 8)])
def test_every_lamp_is_the_check_of_torch(javascript, monkeypatch, seed, sequences, n, d):
    """The checks of linattn.checks.mutants themselves, on the browser's numbers and at several tolerances."""
    found = javascript("lab.measure", seed, sequences, n, d)
    first = 2 * seed
    monkeypatch.setattr(mutants, "draw", lambda seed=0: draw(first + seed, sequences, n, d))
    for tolerance in (1e-1, 1e-3, 1e-5):
        monkeypatch.setattr(mutants, "_same", lambda a, b, tol=tolerance: torch.allclose(a, b, rtol=tol, atol=tol))
        for name, function in {"": linattn.causal_linear_attention, **MUTANTS}.items():
            for check, passes in CHECKS.items():
                seen = (found[name][check] if found[name][check] is not None else math.inf) > tolerance
                assert seen is not passes(function), f"{check} on {name or RIGHT} at {tolerance}"


@pytest.mark.parametrize(("seed", "sequences", "n", "d"), [(0, 64, 6, 4), (5, 2, 4, 1)])
def test_every_distance_equals_torch(javascript, seed, sequences, n, d):
    found = javascript("lab.measure", seed, sequences, n, d)
    wanted = BugLab(seed=seed, sequences=sequences, n=n, d=d)._far()
    for name, row in wanted.items():
        for check, far in row.items():
            close = found["" if name == RIGHT else name][check]
            assert math.isclose(close, far, rel_tol=1e-6, abs_tol=1e-12), f"{check} on {name}"


def test_the_table_is_the_one_of_the_chapter():
    table = BugLab().table
    for name, function in MUTANTS.items():
        assert table[name] == {check: not passes(function) for check, passes in CHECKS.items()}, name
    assert not any(table[RIGHT].values())


@pytest.mark.parametrize("tolerance", [1e-3, 0.5, 3.0, 1e-9, 1e-18])
def test_the_smallest_set_is_the_best_of_all_sets(javascript, tolerance):
    """Of all sets of checks that let the right function pass."""
    far = BugLab()._far()
    right = far.pop(RIGHT)
    for names in (list(CHECKS), ["position 0", "constant v", "causality"]):
        valid = [check for check in names if right[check] <= tolerance]
        best = min(
            (sum(all(far[bug][check] <= tolerance for check in chosen) for bug in far), size)
            for size in range(len(valid) + 1)
            for chosen in combinations(valid, size)
        )
        found = javascript("lab.smallest", {"": right, **far}, names, tolerance)
        assert {(len(one["missed"]), len(one["set"])) for one in found} == {best}
        assert all(set(one["set"]) <= set(valid) for one in found)


# ---- Questions ----


def asked(javascript, ask: str, lab: BugLab) -> dict:
    """What the browser asks in this lab, with its options and the true ones among them."""
    state = {"on": lab.on, "chosen": lab.chosen, "tolerance": lab.tolerance, "docs": lab.docs}
    ask_it = "(ask, state, numbers) => lab.asks[ask]({ ...state, distances: lab.measure(...numbers) })"
    found = javascript(ask_it, ask, state, [lab.seed, lab.sequences, lab.n, lab.d])
    return {**found, "true": [found["options"][i] for i in found["truth"]]}


@pytest.mark.parametrize("settings", [{}, {"n": 1}, {"tolerance": 0.5, "sequences": 4}], ids=str)
def test_which_lamps_a_bug_lights_is_what_torch_sees(javascript, settings):
    for name, row in BugLab(**settings).table.items():
        if name != RIGHT:
            lab = BugLab(**settings)
            lab.on = ["no mask", name]
            found = asked(javascript, "lamps", lab)
            assert found["many"] and found["options"] == list(CHECKS)
            assert found["true"] == [check for check in CHECKS if row[check]], name
            assert f"“{name}” is next. {lab.docs[name]}" in found["question"]
            off = ", ".join(f"{told(x, lab.tolerance)} ({check})" for check, x in lab._far()[name].items())
            tolerance = {0.5: "5e−1", 1e-3: "1e−3"}[lab.tolerance]
            without_noise = lambda text: re.sub(r"\b(0|\de−1\d) ", "0 ", text)  # noqa: E731
            wanted = (
                f"|a − b|/(1 + |b|) is at most {re.sub(', (?=[^,]+$)', ' and ', off)}: a lamp lights above {tolerance}."
            )
            assert without_noise(found["because"]) == without_noise(wanted)


def test_a_distance_never_reads_like_a_tolerance_that_it_is_not(javascript):
    cases = {(0.0010004, 1e-3): "0.0010004", (9.996e-4, 1e-3): "0.0009996", (1e-3, 1e-3): "1e−3", (6e-5, 1e-3): "6e−5"}
    cases |= {(1.3e-9, 1e-9): "1.3e−9", (1.0091, 1e-3): "1.01", (446.23, 1e-3): "446", (1234.6, 1.0): "1,235"}
    for (x, tolerance), text in cases.items():
        assert told(x, tolerance) == javascript("lab.far", x, tolerance) == text
    for tolerance, text in ((1.0, "1"), (0.5, "5e−1"), (0.025, "2.5e−2"), (1e-9, "1e−9")):
        assert limit(tolerance) == javascript("lab.limit", tolerance) == text


@pytest.mark.parametrize("settings", [{}, {"n": 1}, {"tolerance": 0.5, "sequences": 4}], ids=str)
def test_how_many_bugs_a_set_misses_is_what_torch_misses(javascript, settings):
    table = BugLab(**settings).table
    for size in (1, 2, 3, 4):
        for chosen in combinations(CHECKS, size):
            missed = sum(not any(table[name][check] for check in chosen) for name in BUGS)
            found = asked(javascript, "missed", BugLab(chosen=chosen, **settings))
            assert found["true"] == [str(missed or "none")]
            assert len(found["options"]) > 1 or not missed
            said = f"Missed: {missed} that you have not" if missed else "Every bug is seen."
            assert said in found["because"] and not any(name in found["because"] for name in BUGS)


@pytest.mark.parametrize(
    ("tolerance", "answer"), [(1e-3, "reference"), (0.5, "none of the sets there are"), (1e-9, "reference")]
)
def test_the_smallest_set_asked_for_is_the_best_of_all_sets(javascript, tolerance, answer):
    lab = BugLab(tolerance=tolerance)
    table = {name: row for name, row in lab.table.items() if name != RIGHT}
    sees_all = lambda chosen: all(any(row[check] for check in chosen) for row in table.values())  # noqa: E731
    valid = [check for check in CHECKS if not lab.table[RIGHT][check]]
    sets = [chosen for size in range(1, 5) for chosen in combinations(valid, size) if sees_all(chosen)]
    best = [chosen for chosen in sets if len(chosen) == len(sets[0])]
    words = [re.sub(", (?=[^,]+$)", " and ", ", ".join(chosen)) for chosen in best] or ["none of the sets there are"]
    found = asked(javascript, "smallest", lab)
    assert found["true"] == words == [answer]
    assert found["options"][:2] == ["position 0", "position 0 and constant v"]
    assert ("refuse even the right function" in found["because"]) == (len(valid) < 4)


# ---- Python ----


def test_traits_travel_and_properties_follow_them():
    lab = BugLab(on=["no mask", "strict mask"], chosen=["causality"])
    sent = json.loads(re.search(r'json">(.*?)</script>', lab.to_html(), re.DOTALL)[1])
    assert sent["on"] == ["strict mask", "no mask"] and sent["docs"]["no mask"] == mutants.no_mask.__doc__
    assert set(BUGS) - set(lab.missed) == {"no mask", "mask one too far", "full-sequence normaliser"}
    lab.set_state({"chosen": ["position 0"]})
    assert lab.missed == ["φ forgotten on k"]
    lab.set_state({"n": 1})
    assert {"no mask", "mask one too far"} <= set(lab.missed), "one token has no future"
    lab.set_state({"n": 6, "tolerance": 1e-9})
    assert lab.table[RIGHT]["position 0"], "too strict a check refuses the right function"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"on": ["nothing"]}, "on must be some of strict mask"),
        ({"chosen": ["luck"]}, "chosen must be some of position 0"),
        ({"sequences": 65}, "sequences must be from 1 to 64"),
        ({"n": 0}, "n must be"),
        ({"d": 9}, "d must be"),
        ({"seed": -1}, "seed must be"),
        ({"tolerance": 0}, "tolerance must be"),
        ({"stops": [{"on": ["nothing"], "text": ""}]}, "on must be some of strict mask"),
        ({"stops": [{"text": ""}, {"n": 9, "text": ""}]}, "n must be"),
        ({"stops": [{"ask": "lamps", "text": ""}]}, "the ask lamps needs some of on"),
        ({"stops": [{"ask": "missed", "text": ""}]}, "the ask missed needs some of chosen"),
        ({"stops": [{"on": BUGS, "ask": "moves", "text": ""}]}, "must be one of lamps, missed, smallest"),
        ({"stops": [{"on": BUGS}]}, "needs a text"),
    ],
)
def test_what_cannot_be_run_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        BugLab(**arguments)


# ---- Browser ----

READ = """() => Object.fromEntries([...document.querySelectorAll('.la-root .la-lab tbody tr')].map((row) =>
  [row.querySelector('th').textContent, [...row.querySelectorAll('.la-lamp')].map((lamp) => lamp.textContent)]))"""


def check(page: Page, on=(), **settings) -> None:
    """Switched-on rows show torch's verdicts and distances, the others nothing."""
    lab = BugLab(**settings)
    wanted = {name: ["?"] * 4 for name in BUGS}
    for name, row in lab._far().items():
        if name == RIGHT or name in on:
            wanted[name] = [
                ("seen " if far > lab.tolerance else "passes ") + told(far, lab.tolerance) for far in row.values()
            ]
    found = page.evaluate(READ)
    # A distance that is rounding alone differs from machine to machine.
    tiny = re.compile(r"passes (?:0|\de−1\d)$")
    plain = lambda rows: {name: [tiny.sub("passes 0", text) for text in row] for name, row in rows.items()}  # noqa: E731
    assert plain(found) == plain(wanted)


def switch(page: Page, name: str):
    return page.get_by_role("switch", name=name, exact=True)


def choose(page: Page, name: str):
    return page.get_by_role("checkbox", name=f"{name}, in my set")


@pytest.fixture
def opened(page, write_page) -> Page:
    return show(page, write_page(BugLab()))


@pytest.mark.parametrize("name", BUGS)
def test_every_switch_lights_its_four_lamps(opened, name):
    check(opened)
    switch(opened, name).check()
    check(opened, [name])
    expect(opened.locator(".la-status")).to_contain_text(BugLab().docs[name])
    switch(opened, name).press(" ")
    check(opened)


def test_switches_are_independent_and_step_by_step(opened):
    switch(opened, "dead relu").check()
    switch(opened, "no mask").check()
    check(opened, ["dead relu", "no mask"])
    button(opened, "First step").click()
    check(opened)
    for count in (1, 2, 3):
        button(opened, "Next step").click()
        check(opened, BUGS[:count])
    button(opened, "Step back").click()
    check(opened, BUGS[:2])
    opened.locator(".la-root").focus()
    opened.keyboard.press("End")
    check(opened, BUGS)
    opened.get_by_role("slider", name="Step", exact=True).fill("5")
    check(opened, BUGS[:5])
    button(opened, "Reset").click()
    check(opened)


def test_it_plays_and_pauses_and_does_not_start_alone(opened):
    opened.get_by_role("combobox", name="Speed").select_option("4")
    opened.wait_for_timeout(700)
    check(opened)
    button(opened, "Play").click()
    opened.wait_for_function("() => document.querySelector('.la-root [aria-label=Step]').value === '2'")
    button(opened, "Pause").click()
    check(opened, BUGS[:2])
    opened.wait_for_timeout(700)
    check(opened, BUGS[:2])


def test_the_hunt_says_what_a_set_misses_and_reveals_only_when_asked(opened):
    hunt, answer = opened.locator(".la-hunt"), opened.locator(".la-answer")
    expect(answer).to_be_empty()
    choose(opened, "causality").check()
    expect(hunt).to_contain_text("causality: 3 of 11 bugs seen, for 384 runs")
    expect(hunt).to_contain_text("Still missed: 8 that you have not switched on.")
    switch(opened, "strict mask").check()
    expect(hunt).to_contain_text("Still missed: “strict mask” and 7 that you have not switched on.")
    choose(opened, "position 0").check()
    expect(hunt).to_contain_text("position 0 and causality: 10 of 11 bugs seen, for 448 runs")
    switch(opened, "φ forgotten on k").check()
    expect(hunt).to_contain_text("Still missed: “φ forgotten on k”.")
    expect(answer).to_be_empty()
    button(opened, "Reveal the smallest set").click()
    expect(answer).to_contain_text("The smallest set, with these numbers: reference, seeing every bug.")
    expect(answer).to_contain_text("Without a reference: position 0, missing “φ forgotten on k”.")
    opened.get_by_label("tolerance").select_option(label="1e−9")
    expect(answer).to_have_text(
        "Left out: position 0 and constant v refuse even the right function. The smallest set, with these numbers: "
        "reference, seeing every bug. Without a reference: causality, missing “strict mask”, “no normaliser”, "
        "“divided by count”, “Z without q”, “ε = 1e-2”, “dead relu”, “transposed S” and “φ forgotten on k”."
    )
    expect(hunt).to_contain_text("But position 0 refuses even the right function: that does not count.")
    opened.get_by_label("tolerance").select_option(label="1e−3")
    button(opened, "Hide the smallest set").click()
    expect(answer).to_be_empty()
    choose(opened, "reference").check()
    expect(hunt).to_contain_text("11 of 11 bugs seen")
    expect(hunt).to_contain_text("fewer?")
    for name in ("causality", "position 0"):
        choose(opened, name).press(" ")
    expect(hunt).to_have_text(
        "reference: 11 of 11 bugs seen, for 64 runs of the function, and a slow, plain form to trust."
    )


def test_the_numbers_can_be_set(opened):
    switch(opened, "no mask").check()
    switch(opened, "dead relu").check()
    on, settings = ["no mask", "dead relu"], {}
    for label, key, value in [
        ("tokens n", "n", 1), ("sequences", "sequences", 1), ("entries d", "d", 8), ("tokens n", "n", 3),
        ("sequences", "sequences", 16),
    ]:  # fmt: skip
        opened.get_by_label(label).select_option(str(value))
        settings[key] = value
        check(opened, on, **settings)
    button(opened, "New numbers").click()
    settings["seed"] = 1
    check(opened, on, **settings)
    opened.get_by_label("tolerance").select_option("1e-9")
    check(opened, on, **settings, tolerance=1e-9)
    expect(opened.locator(".la-status")).to_contain_text("even the right function")


def test_a_guess_is_kept_and_compared_with_what_is_seen(opened):
    lamp = lambda check: opened.get_by_role("button", name=f"does {check} see no mask", exact=False)  # noqa: E731
    lamp("position 0").click()
    lamp("constant v").press("Enter")
    for _ in range(2):
        lamp("causality").click()
    for _ in range(3):
        lamp("reference").click()
    assert opened.evaluate(READ)["no mask"] == ["seen?", "seen?", "passes?", "?"]
    switch(opened, "no mask").check()
    found = opened.evaluate(READ)["no mask"]
    assert [text.split("n")[0].split("p")[0] for text in found][:3] == ["✓ see", "✗ ", "✗ see"] and found[3][
        :4
    ] == "seen"
    expect(button(opened, "constant v, no mask, your guess was wrong")).to_be_visible()
    button(opened, "position 0, no mask").click(force=True)
    assert opened.evaluate(READ)["no mask"] == found, "a lit lamp takes no guess any more"


def test_lamps_are_walked_by_arrow_keys_with_one_tab_stop_a_row(opened):
    opened.locator(".la-lamp").first.focus()
    for key, at in [
        ("ArrowRight", (0, 1)),
        ("ArrowDown", (1, 1)),
        ("ArrowRight", (1, 2)),
        ("ArrowLeft", (1, 1)),
        ("ArrowUp", (0, 1)),
        ("ArrowUp", (0, 1)),
    ]:
        opened.keyboard.press(key)
        here = "() => [...document.querySelectorAll('.la-lamp')].indexOf(document.activeElement)"
        assert opened.evaluate(here) == 4 * at[0] + at[1]
    assert opened.locator(".la-lamp[tabindex='0']").count() == 12
    check(opened)


def test_what_the_numbers_of_the_lamps_are_is_said_beside_them_and_of_each(opened):
    note = opened.get_by_text("Each number: |a − b|/(1 + |b|) at worst, of an output a and the b that the check wants.")
    expect(note).to_be_visible()
    opened.locator(".la-lamp").first.focus()
    expect(opened.locator(".la-readout")).to_have_text(
        re.compile(r"^position 0: \|a − b\|/\(1 \+ \|b\|\) is \S+ at worst, within the tolerance 1e−3$")
    )


THREE = ["position 0", "constant v", "causality"]
WALK = [
    {"on": ["dead relu", "no mask"], "ask": "lamps", "text": "It sees the future."},
    {"on": BUGS, "chosen": THREE, "ask": "missed", "text": "One gets through."},
    {"on": BUGS[:2], "n": 3, "text": "Shorter."},
    {"on": BUGS, "revealed": True, "ask": "smallest", "text": "Whatever it costs.", "question": "How few?"},
]


@pytest.fixture
def walk(page, write_page) -> Page:
    return show(page, write_page(BugLab(stops=WALK)))


def option(page: Page, name: str):
    return page.locator(".la-predict").get_by_label(name, exact=True)


def test_a_walk_through_waits_for_a_prediction_and_shows_the_truth_beside_it(walk):
    question = walk.locator(".la-predict-question")
    expect(question).to_have_text(
        "“no mask” is next. Sees the whole sequence, the future too. Which checks will see it?"
    )
    button(walk, "Next, after your prediction").click()
    check(walk)
    for name in ("position 0", "causality"):
        option(walk, name).check()
    button(walk, "Commit").click()
    check(walk, ["dead relu", "no mask"])
    truth = ", ".join(check for check, seen in BugLab().table["no mask"].items() if seen)
    assert answer(walk) == ["✓ position 0, ✓ causality", "reference", truth]
    expect(walk.locator(".la-status")).to_contain_text(f"It is: {truth}. It sees the future.")
    expect(question).to_contain_text("Your set of checks: position 0, constant v and causality.")
    assert walk.locator(".la-predict-option").all_text_contents() == ["none", "1", "3", "8"]
    option(walk, "1").check()
    button(walk, "Commit").click()
    check(walk, BUGS)
    assert answer(walk) == ["✓ 1", "1"]
    because = "Missed: “φ forgotten on k”. Alone they miss 1 (position 0), 3 (constant v) and 8 (causality)."
    expect(walk.locator(".la-predict .la-note")).to_have_text(because)
    expect(walk.locator(".la-hunt")).to_contain_text("10 of 11 bugs seen")
    for name in THREE:
        expect(choose(walk, name)).to_be_checked()
    walk.get_by_role("button", name="Next", exact=True).click()
    check(walk, BUGS[:2], n=3)
    expect(choose(walk, "causality")).not_to_be_checked()
    expect(question).to_have_text("How few?")
    option(walk, "position 0").check()
    button(walk, "Commit").click()
    check(walk, BUGS)
    assert answer(walk) == ["✗ position 0", "reference"]
    expect(walk.locator(".la-answer")).to_contain_text("reference, seeing every bug")
    walk.get_by_role("button", name="Back", exact=True).click()
    check(walk, BUGS[:2], n=3)
    button(walk, "Reset").click()
    check(walk)
    expect(question).to_contain_text("“no mask” is next.")


def test_no_question_asks_what_is_on_screen_already(walk):
    panel, following = walk.locator(".la-predict"), walk.locator(".la-stop-next")
    question = walk.locator(".la-predict-question")
    switch(walk, "no mask").check()
    expect(panel).to_be_hidden()
    expect(following).to_have_accessible_name("Next")
    switch(walk, "no mask").uncheck()
    expect(question).to_contain_text("“no mask” is next.")
    switch(walk, "no mask").check()
    following.click()
    check(walk, ["dead relu", "no mask"])
    assert answer(walk) == [", ".join(check for check, seen in BugLab().table["no mask"].items() if seen)]
    expect(question).to_contain_text("Your set of checks")
    for name in THREE:
        choose(walk, name).check()
    expect(walk.locator(".la-predict form")).to_be_hidden()
    walk.get_by_label("tokens n").select_option("2")
    expect(question).to_contain_text("Your set of checks")
    button(walk, "Skip").click()
    following.click()
    expect(question).to_have_text("How few?")
    button(walk, "Reveal the smallest set").click()
    expect(walk.locator(".la-predict form")).to_be_visible()  # what is revealed is that of 3 tokens
    walk.get_by_label("tokens n").select_option(str(BugLab().n))
    expect(walk.locator(".la-predict form")).to_be_hidden()


def test_a_walk_through_by_keyboard_and_by_skipping(walk):
    walk.get_by_role("button", name="Next, after").focus()
    walk.keyboard.press("Enter")
    expect(option(walk, "position 0")).to_be_focused()
    for key in (" ", "Tab", "Tab", " ", "Tab", " ", "Enter"):
        walk.keyboard.press(key)
    check(walk, ["dead relu", "no mask"])
    assert answer(walk)[0] == "✓ position 0, ✓ causality, ✓ reference"
    walk.keyboard.press("Enter")
    expect(option(walk, "none")).to_be_focused()
    button(walk, "Skip").press("Enter")
    check(walk, BUGS)
    expect(walk.locator(".la-status")).to_contain_text("It is: 1. One gets through.")
    assert answer(walk) == ["1"]
    switch(walk, "no mask").uncheck()
    expect(walk.locator(".la-stop-text")).to_have_text("You left the walk-through; Next goes on, Back returns.")
    button(walk, "Back").and_(walk.locator(".la-stops button")).click()
    check(walk, BUGS)
    expect(walk.locator(".la-stop-text")).to_have_text("One gets through.")


def test_a_walk_through_in_a_lecture_by_remote_control_and_its_link(walk):
    enter_full_screen(walk)
    walk.keyboard.press("PageDown")
    expect(option(walk, "position 0")).to_be_focused()
    for place in (["dead relu", "no mask"], ["dead relu", "no mask"], BUGS):
        walk.keyboard.press("PageDown")
        check(walk, place)
    walk.keyboard.press("PageUp")
    check(walk, ["dead relu", "no mask"])
    button(walk, "Copy link").click()
    link = walk.url
    walk.goto("about:blank")
    walk.goto(link)
    walk.wait_for_selector(".la-root.la-full")
    check(walk, ["dead relu", "no mask"])


def test_all_numbers_as_a_table(opened):
    switch(opened, "Z without q").check()
    button(opened, "Show all numbers").click()
    text = opened.locator(".la-tables").inner_text()
    assert text.count("not switched on") == 40
    assert f"{number(BugLab()._far()['Z without q']['constant v'], 4)}, seen" in text and "seen above 1e−3" in text


@pytest.mark.parametrize("form", ["http", "file"])
def test_a_link_brings_back_exactly_what_was_on_screen(page, write_page, address, form):
    path = write_page(BugLab(), BugLab(on=["no mask"]))
    url = address if form == "http" else path.as_uri()
    page.goto(url)
    first = page.locator("#bug_lab-1")
    first.get_by_role("switch", name="transposed S").check()
    first.get_by_role("checkbox", name="causality, in my set").check()
    first.get_by_label("tokens n").select_option("4")
    first.get_by_label("tolerance").select_option("0.01")
    first.get_by_role("button", name="New numbers").click()
    first.get_by_role("button", name="Reveal").click()
    first.get_by_role("button", name="Copy link").click()
    link, answer = page.url, first.locator(".la-answer").text_content()
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".la-mounted")
    expect(first.locator(".la-answer")).to_have_text(answer)
    expect(first.get_by_role("checkbox", name="causality, in my set")).to_be_checked()
    lab = BugLab(n=4, tolerance=0.01, seed=1)
    far = lab._far()["transposed S"]
    row = first.locator("tr", has_text="transposed S").locator(".la-lamp")
    for lamp, value in zip(row.all(), far.values(), strict=True):
        assert lamp.text_content().startswith("seen" if value > 0.01 else "passes")
    page.evaluate("() => { location.hash = '#la1:bug_lab-1=on=111&chosen=0000' }")
    expect(first.locator(".la-status")).to_contain_text("does not fit")


def test_a_phone_needs_no_sideways_scroll(new_page, write_page, errors):
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.goto(write_page(BugLab(stops=WALK)).as_uri())
    button(page, "Last step").tap()
    check(page, BUGS)
    for target in page.locator(".la-lab label").all():
        box = target.bounding_box()
        assert box["width"] >= 24 and box["height"] >= 24
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    edges = page.locator(".la-root *").evaluate_all("(all) => all.map((e) => e.getBoundingClientRect().right)")
    assert max(edges) <= 360
    assert not errors


def test_full_screen_without_javascript_and_paper(opened, new_page):
    enter_full_screen(opened)
    opened.keyboard.press("ArrowRight")
    check(opened, BUGS[:1])
    opened.keyboard.press("Escape")
    opened.emulate_media(media="print")
    expect(opened.locator(".la-lab")).to_be_visible()
    expect(opened.locator(".la-transport")).to_be_hidden()
    still = new_page(java_script_enabled=False)
    still.goto(opened.url)
    expect(still.locator("table.la-numbers tbody tr")).to_have_count(12)
    expect(still.locator("table.la-numbers")).to_contain_text("seen, 1.01")


def test_paper_shows_what_every_check_sees_until_a_bug_is_switched_on(opened):
    opened.emulate_media(media="print")
    still, live = opened.locator(".la-still"), opened.locator(".la-root")
    expect(live).to_be_hidden()
    for name, row in BugLab().table.items():
        cells = still.locator("tr", has=opened.get_by_role("rowheader", name=name, exact=True)).locator("td")
        assert [cell.split(",")[0] for cell in cells.all_text_contents()] == [
            "seen" if seen else "passes" for seen in row.values()
        ]
    opened.emulate_media(media="screen")
    opened.get_by_role("switch", name=BUGS[0]).check()
    opened.emulate_media(media="print")
    expect(live).to_be_visible()
    expect(still).to_be_hidden()
