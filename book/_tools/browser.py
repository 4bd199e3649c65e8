"""Find a Chromium on this machine, or install one the way the platform does.

`LINATTN_BROWSER` (a path) overrides the search. Run as a program, it prints the path found.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
    "brave-browser",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "%ProgramFiles%/Google/Chrome/Application/chrome.exe",
    "%ProgramFiles(x86)%/Google/Chrome/Application/chrome.exe",
    "%LocalAppData%/Google/Chrome/Application/chrome.exe",
    "%LocalAppData%/Chromium/Application/chrome.exe",
    "%ProgramFiles(x86)%/Microsoft/Edge/Application/msedge.exe",
    "/snap/bin/chromium",
)
# Quiet: a browser under test talks to nobody but the page's own server.
ARGUMENTS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
ADVICE = (
    "The browser tests need Chromium or Chrome and none was found: install one "
    "(Debian, Ubuntu: sudo apt-get install chromium; Fedora: sudo dnf install chromium; "
    "macOS: brew install --cask chromium; Windows: winget install Google.Chrome), "
    "or set LINATTN_BROWSER to its path."
)


def find() -> str | None:
    """The path of a Chromium on this machine, or None."""
    named = os.environ.get("LINATTN_BROWSER")
    if named:
        return named if Path(named).is_file() else None
    for name in NAMES:
        if found := shutil.which(name):
            return found
    places = (Path(os.path.expandvars(place)).expanduser() for place in PLACES)
    return next((str(place) for place in places if place.is_file()), None)


def install_command() -> list[str] | None:
    """How this platform installs a Chromium without asking anything, or None."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if root and shutil.which("apt-get"):
        return ["sh", "-c", "apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy chromium"]
    if root and shutil.which("dnf"):
        return ["dnf", "install", "-y", "chromium"]
    if root and shutil.which("apk"):
        return ["apk", "add", "chromium"]
    if sys.platform == "darwin" and shutil.which("brew"):
        return ["brew", "install", "--cask", "chromium"]
    return None


def require() -> str:
    """A Chromium's path, installing one if the platform lets us; else RuntimeError saying how."""
    if found := find():
        return found
    if command := install_command():
        print("No Chromium found, installing one:", " ".join(command), flush=True)
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        if found := find():
            return found
    raise RuntimeError(ADVICE)


def launch_arguments() -> list[str]:
    """Chromium refuses its sandbox to root, and only there do we do without it."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*ARGUMENTS, *(["--no-sandbox"] if root else [])]


if __name__ == "__main__":
    try:
        print(require())
    except RuntimeError as error:
        sys.exit(str(error))
