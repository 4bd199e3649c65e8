"""Build the book with warnings as errors, saying as it goes what it does.

`jupyter-book build .` by hand does the same, with more words and without the strictness.
Arguments are handed on to it (`--path-output`, `--toc`).
"""

import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
TOLD = re.compile(r"Execut(ing|ed) notebook|WARNING:|ERROR|updating environment|\[config changed")
NOISE = re.compile(r"IPKernelApp|using local CWD|\[mystnb\]")


def main(arguments: list[str]) -> int:
    """Run the build, show its progress, and its whole log when it fails."""
    jupyter_book = "from jupyter_book.cli.main import main; main(prog_name='jupyter-book')"
    command = [sys.executable, "-c", jupyter_book, "build", ".", "-W", "-n", "--keep-going", *arguments]
    print("Building the book (notebooks that changed are run again) …", flush=True)
    start = time.monotonic()
    log = []
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf8",
        errors="replace",
    ) as build:
        for line in build.stdout:
            line = COLOURS.sub("", line).rstrip().replace(f"{ROOT}/", "")
            log.append(line)
            if TOLD.search(line) and "IPKernelApp" not in line:
                print("  " + NOISE.sub("", line).strip(), flush=True)
    took = time.monotonic() - start
    if build.returncode:
        print("\n".join(log))
        print(f"The book was not built; the log above says why ({took:.0f} s).")
    else:
        told = [line.partition("HTML pages are in ")[2].rstrip(".") for line in log]  # Sphinx says where, from ROOT
        place = next(filter(None, told), "_build/html")
        print(f"Built in {took:.0f} s: {(ROOT / place / 'index.html').resolve()}")
    return build.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
