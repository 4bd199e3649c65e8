"""Remove stored outputs from the notebooks; `--check` only says which have any."""

import argparse
import json
import sys
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def strip(notebook: dict) -> bool:
    """Remove outputs, counts and widget state in place; whether there was anything to remove."""
    before = json.dumps(notebook)
    notebook["metadata"].pop("widgets", None)
    notebook["metadata"].get("language_info", {}).pop("version", None)
    for cell in notebook["cells"]:
        for key in ("execution", "collapsed", "scrolled", "trusted", "ExecuteTime"):
            cell["metadata"].pop(key, None)
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
    return json.dumps(notebook) != before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    dirty = []
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf8"))
        if strip(notebook):
            dirty.append(path.name)
            if not check:
                text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
                path.write_text(text, encoding="utf8", newline="\n")
    if dirty:
        print(
            ("Notebooks with stored outputs (make strip removes them): " if check else "Stripped: ") + ", ".join(dirty)
        )
    sys.exit(1 if dirty and check else 0)


if __name__ == "__main__":
    main()
