"""Fixtures shared by the browser tests.

Every page these fixtures open is cut off from the world: a request to anything but this machine is refused
and recorded in `refused`; a console error or an uncaught exception is recorded in `errors`. Neither is ever
forgiven silently: the `page` fixture's test fails if one of the two lists is not empty at its end.
"""

import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import browser as chromium
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
LOCAL = {"127.0.0.1", "localhost", "[::1]", "::1"}


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


def serve(folder: Path) -> http.server.ThreadingHTTPServer:
    """Serve `folder` on a free loopback port, in a thread."""
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="session")
def site_folder() -> Path:
    """The built book's folder.

    Builds it first, with warnings as errors: seconds when nothing has changed. `LINATTN_SITE` names a folder that is
    already built, to be tested as it stands.
    """
    if built := os.environ.get("LINATTN_SITE"):
        return Path(built).resolve()
    command = [sys.executable, str(ROOT / "book" / "_tools" / "build.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"the book does not build:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}", pytrace=False)
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def site(site_folder: Path) -> Iterator[str]:
    """Address of the built book, served on this machine, without a final slash."""
    server = serve(site_folder)
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where the page that a test writes into its own folder as `page.html` is served, on this machine."""
    server = serve(tmp_path)
    yield f"http://127.0.0.1:{server.server_port}/page.html"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole session; a machine without one fails, it never skips."""
    try:
        executable = chromium.require()
    except RuntimeError as error:
        pytest.fail(str(error), pytrace=False)
    with sync_playwright() as playwright:
        # A second wall behind the recording route below: no name but this machine's resolves.
        walls = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]
        running = playwright.chromium.launch(executable_path=executable, args=[*chromium.launch_arguments(), *walls])
        yield running
        running.close()


@pytest.fixture
def refused() -> list[str]:
    """Addresses outside this machine that a page asked for."""
    return []


@pytest.fixture
def errors() -> list[str]:
    """Console errors and uncaught exceptions of the test's pages."""
    return []


@pytest.fixture
def new_page(browser: Browser, refused: list[str], errors: list[str]) -> Iterator[Callable[..., Page]]:
    """Opens pages: `new_page(viewport={"width": 360, "height": 800}, color_scheme="dark")`.

    Takes the options of playwright's `Browser.new_context`.
    """
    contexts = []

    def guard(route, request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https") and address.hostname not in LOCAL:
            refused.append(request.url)
            route.abort()
        else:
            route.continue_()

    def open_page(**options: object) -> Page:
        context = browser.new_context(**{"service_workers": "block", **options})
        contexts.append(context)
        context.set_default_timeout(15_000)
        context.route("**/*", guard)
        context.on("weberror", lambda error: errors.append(f"{error.page.url}: {error.error}"))
        context.on(
            "console",
            lambda message: errors.append(f"{message.page.url}: {message.text}") if message.type == "error" else None,
        )
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page: Callable[..., Page], refused: list[str], errors: list[str]) -> Iterator[Page]:
    """A page at 1280 × 800; its test fails if the page had an error or asked for anything outside this machine."""
    yield new_page(viewport={"width": 1280, "height": 800})
    assert not refused, f"the page asked for {refused}"
    assert not errors, f"the page had errors: {errors}"
