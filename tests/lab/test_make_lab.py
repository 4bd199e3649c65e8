"""What `make lab` starts: JupyterLab at a chapter, in a folder from which the chapter's links lead somewhere."""

import shutil
import subprocess
from pathlib import Path

from lab_server import running
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]


def arguments_of_make_lab() -> list[str]:
    """What the Makefile hands to JupyterLab."""
    printed = subprocess.run(["make", "-n", "lab"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return printed.replace("\\\n", " ").split("jupyter lab ")[-1].split("\n")[0].split()


def test_make_lab_opens_a_chapter_whose_links_open(tmp_path, new_page, refused):
    for folder in ("notebooks", "book"):
        shutil.copytree(ROOT / folder, tmp_path / "work" / folder, ignore=shutil.ignore_patterns("_*", ".*"))
    with running(tmp_path, *arguments_of_make_lab()) as lab:
        page = new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(60_000)
        page.goto(f"{lab.address}/?token={lab.token}")
        chapter = page.locator(".jp-Notebook")
        chapter.get_by_role("heading", name="Associativity", exact=False).first.wait_for()
        chapter.get_by_role("link", name="Notation").first.click()
        expect(page.locator(".jp-MarkdownViewer").get_by_role("heading", name="Notation")).to_be_visible()
    assert not refused
