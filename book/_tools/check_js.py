"""Check that every script of ours parses: the widgets' ES modules and the page's classic scripts."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("linattn/widgets", "book/_static", "book/_ext", "tests")

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from assets import node  # noqa: E402


def main() -> None:
    failed = 0
    for file in sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.js")):
        source = file.read_text(encoding="utf8")
        module = file.is_relative_to(ROOT / "linattn")
        kind = "module" if module else "commonjs"
        command = [*node(), "--check", f"--input-type={kind}", "-"]
        done = subprocess.run(command, input=source, text=True, capture_output=True, check=False, encoding="utf8")
        if done.returncode:
            failed += 1
            print(f"{file.relative_to(ROOT)}:\n{done.stderr}")
    sys.exit(failed and 1)


if __name__ == "__main__":
    main()
