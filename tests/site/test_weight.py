"""What a first visit costs, compressed; plotly.js is fetched only where there is a figure, and when it is near."""

import gzip

import pytest
from pages import CHAPTERS, PAGES, open_page, short

WITHOUT_PLOTS = 600_000
WITH_PLOTS = 1_200_000


def weigh(page, address: str, *, scroll: bool) -> dict[str, int]:
    """Compressed bytes of every file that the page asks for."""
    requests = []
    page.on("requestfinished", lambda request: requests.append(request))
    open_page(page, address, scroll=scroll)
    responses = [request.response() for request in requests]
    return {
        response.url.split("?")[0].rsplit("/", 1)[-1]: len(gzip.compress(response.body(), 6))
        for response in responses
        if response.ok
    }


@pytest.mark.parametrize("path", PAGES, ids=short)
def test_first_load_is_light(page, site, path):
    weights = weigh(page, f"{site}/{path}.html", scroll=True)
    has_plots = page.locator(".la-figure").count() > 0
    assert ("plotly-cartesian.min.js" in weights) == has_plots
    heaviest = sorted(weights.items(), key=lambda item: -item[1])[:8]
    print(f"{path}: {sum(weights.values()) / 1000:.0f} kB; {heaviest}")
    assert sum(weights.values()) <= (WITH_PLOTS if has_plots else WITHOUT_PLOTS), heaviest


@pytest.mark.parametrize("path", CHAPTERS, ids=short)
def test_plots_wait_until_they_are_near(page, site, path):
    page.set_viewport_size({"width": 1280, "height": 400})
    weights = weigh(page, f"{site}/{path}.html", scroll=False)
    assert "plotly-cartesian.min.js" not in weights
    assert sum(weights.values()) <= WITHOUT_PLOTS
