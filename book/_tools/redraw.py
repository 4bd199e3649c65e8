"""Measure in Chromium how long each explorer takes to redraw, and how large its own code is: ``make redraw``.

Real keys and real mouse moves go to the built pages, one at a time, in the page (1280 × 800) and in full screen
(1920 × 1080). Chromium's own trace then says what the page's main thread did from each input to the next: the event,
the script, style, layout, painting and handing over the frame. The milliseconds of one input are the sum of those
tasks by the clock, without the idle waiting for the screen; what other threads paint meanwhile is not in them. The
processor's time for the same tasks stands beside: less, where other programs kept the machine busy. Motion is reduced,
so that a step is drawn at once and not over many frames. A frame at 60 Hz has 16.7 ms.

Code is the gzip of the modules that only this widget has, comments included. Everything is reported, nothing asserted.
"""

import argparse
import gzip
import json
import os
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import browser
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from linattn.widgets import base

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("LINATTN_SITE", ROOT / "_build" / "html")).resolve()
FRAME, LIMIT = 1000 / 60, 15_000
PAUSE = 50
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
LAYOUT = {"UpdateLayoutTree", "Layout"}
PAINT = {"PrePaint", "Paint", "Layerize", "Commit"}

EXPLORERS, CHAPTER = "book/explorers", "notebooks/02_associativity"
#: What is dragged, by widget: the name in the report, and where the mouse goes down.
DRAGS = {
    "associativity": ("drag n", ".la-chart-plot"),
    "cost": ("drag n", ".la-cost-chart"),
    "feature_map_explorer": ("drag the query", ".la-fm-drag"),
    "position_0": ("drag the query", ".la-plane-field"),
    "state_explorer": ("drag a number", ".la-at-v .la-field"),
}
#: What is changed by keys: the name in the report, the control, and two keys that each change it.
KEYS = {
    "bug_lab": ("switch", "[role=switch]", [" ", " "]),
    "recall": ("slide d", "[aria-label='features d']", ["ArrowRight", "ArrowLeft"]),
    "three_forms": ("slide the size", ".la-chunk-size .la-range", ["ArrowRight", "ArrowLeft"]),
}


def press(page: Page, place: Locator, keys: list[str]) -> None:
    """Keys typed into a part of the widget."""
    place.focus()
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(PAUSE)


def drag(page: Page, place: Locator, inputs: int) -> None:
    """There and back across the middle of a part of the widget."""
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    x, y, width = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, min(box["width"], 300)
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(inputs):
        page.mouse.move(x + width * (0.4 - abs(i % 32 - 16) / 20), y)
        page.wait_for_timeout(PAUSE)
    page.mouse.up()


def cases(page: Page, name: str, widget: Locator, inputs: int) -> Iterator[tuple[str, str, Callable[[], None]]]:
    """What is done to a widget: its name, the event that starts each input, and how to do it."""
    root = widget.locator(".la-root").first
    if name == "quiz":
        yield "choose", "keydown", lambda: press(page, widget.locator("input").first, ["ArrowDown"] * inputs)
        return
    # Six steps there and six back: no prediction stands in the way of these.
    sweep = (["ArrowRight"] * 6 + ["ArrowLeft"] * 6) * (1 + inputs // 12)
    yield "step", "keydown", lambda: press(page, root, ["Home", *sweep][:inputs])
    if name in KEYS:
        what, selector, keys = KEYS[name]
        yield what, "keydown", lambda: press(page, root.locator(selector).first, (keys * inputs)[:inputs])
    else:
        what, selector = DRAGS[name]
        yield what, "pointermove", lambda: drag(page, root.locator(f"{selector}:visible").first, inputs)


def milliseconds(trace: bytes, start: str) -> list[dict[str, float]]:
    """For each input that a trace holds, the main thread's work until the next: {total, cpu, …}."""
    events = json.loads(trace)["traceEvents"]
    at = [e for e in events if e["name"] == "EventDispatch" and e["args"]["data"]["type"] == start]
    thread = (at[0]["pid"], at[0]["tid"])
    mine = [e for e in events if e.get("dur") and (e["pid"], e["tid"]) == thread]
    # A task begins a little before the event that it dispatches.
    tasks = [e for e in mine if e["name"] == "RunTask"]
    begins = [max(t["ts"] for t in tasks if t["ts"] <= e["ts"]) for e in at]
    found = []
    for begin, end in zip(begins, [*begins[1:], float("inf")], strict=True):
        here = [e for e in mine if begin <= e["ts"] < end]

        def spent(names: set[str], clock: str = "dur", here: list[dict] = here) -> float:
            return sum(e.get(clock, 0) for e in here if e["name"] in names) / 1000

        total, layout, paint = spent({"RunTask"}), spent(LAYOUT), spent(PAINT)
        parts = {"script": total - layout - paint, "layout": layout, "paint": paint}
        found.append({"total": total, "cpu": spent({"RunTask"}, "tdur"), **parts})
    return found


def measure(chromium: Browser, name: str, full: bool, inputs: int) -> Iterator[dict]:
    """One widget, in the page or in full screen: a row of the report for each thing that is done to it."""
    size = {"width": 1920, "height": 1080} if full else {"width": 1280, "height": 800}
    page = chromium.new_page(viewport=size, reduced_motion="reduce")
    page.goto((SITE / f"{CHAPTER if name == 'quiz' else EXPLORERS}.html").as_uri())
    widget = page.locator(f".la-widget.la-mounted[data-widget={name}]").first
    widget.wait_for()
    if full:
        widget.get_by_role("button", name="Full screen").click()
    widget.scroll_into_view_if_needed()
    page.wait_for_timeout(1000)
    for what, start, act in cases(page, name, widget, inputs):
        chromium.start_tracing(page=page, categories=CATEGORIES)
        act()
        # The first few draw what nothing has drawn before.
        found = milliseconds(chromium.stop_tracing(), start)[3:]
        median = {part: statistics.median(one[part] for one in found) for part in found[0]}
        worst = max(one["total"] for one in found)
        yield {"widget": name, "input": what, "full": full, "inputs": len(found), "median": median, "worst": worst}
    page.close()


def code() -> dict[str, int]:
    """Bytes of each widget's own modules, compressed."""
    modules = {name: set(re.findall(r"^const \$(\w+) = \(\(\) =>", base.bundle(name), re.M)) for name in base.MODULES}

    def own(name: str) -> set[str]:
        return modules[name] - set().union(*(others for other, others in modules.items() if other != name))

    def read(name: str) -> bytes:
        return b"".join((base.HERE / f"{module}.js").read_bytes() for module in sorted(own(name)))

    return {name: len(gzip.compress(read(name))) for name in base.MODULES}


def text(rows: list[dict], sizes: dict[str, int]) -> str:
    """The report for reading."""
    lines = [
        f"Milliseconds of work from an input to its finished frame; a frame at 60 Hz has {FRAME:.1f}.",
        f"{'':22}{'':16}{'':12}{'median':>8}{'worst':>8}{'processor':>11}   of the median: script, layout, paint",
    ]
    for row in rows:
        total, cpu, *parts = row["median"].values()
        shares = "".join(f"{part:7.1f}" for part in parts)
        mark = "  over a frame" if total > FRAME else ""
        where = "full screen" if row["full"] else "page"
        lines.append(
            f"{row['widget']:22}{row['input']:16}{where:12}{total:8.1f}{row['worst']:8.1f}{cpu:11.1f}   {shares}{mark}"
        )
    lines += ["", f"Own code, compressed, of at most {LIMIT:,} bytes:"]
    return "\n".join([*lines, *(f"{name:22}{size:8,}" for name, size in sizes.items())])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--json", action="store_true", help="all numbers as JSON")
    parser.add_argument("--inputs", type=int, default=51, help="how many of each kind (default 51)")
    parser.add_argument("--widgets", nargs="+", default=base.MODULES, choices=base.MODULES, help="only these")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.require(), args=browser.launch_arguments())
        places = [(name, full) for name in options.widgets for full in (False, True)]
        rows = [row for name, full in places for row in measure(chromium, name, full, options.inputs)]
        chromium.close()
    sizes = code()
    print(json.dumps({"redraw": rows, "code": sizes}, indent=1) if options.json else text(rows, sizes))


if __name__ == "__main__":
    main()
