"""The notebooks as files and as lessons: clean, short cells, exercises that know unfilled, right and nothing else."""

import ast
import json
import re
from pathlib import Path

import pytest

import linattn
from linattn.checks import Diagnosis

ROOT = Path(__file__).parents[1]
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
HEADINGS = [
    "What you remember",
    "What you will be able to do",
    "Predict first",
    "Practice",
    "What goes wrong",
    "Check yourself",
    "Summary",
    "Sources",
]
CODE_LINES = 14
WORDS = 130

every_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf8"))


def source(cell: dict) -> str:
    return "".join(cell["source"])


def cells(path: Path, kind: str) -> list[dict]:
    return [cell for cell in read(path)["cells"] if cell["cell_type"] == kind]


def is_exercise(cell: dict) -> bool:
    return "exercise" in cell["metadata"].get("tags", [])


def run(code: str, namespace: dict) -> object:
    """Run a cell as a notebook does: the value of a last expression is its result."""
    body = ast.parse(code).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace) if last else None


def prose(text: str) -> str:
    """The words of a markdown cell: no formulas, no code, no addresses."""
    return re.sub(r"\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.DOTALL)


def solution(cells_after: list[dict]) -> str:
    """The one fenced block inside the solution that follows an exercise."""
    text = source(cells_after[0])
    inside = text.split('<details class="la-solution">')[1]
    blocks = re.findall(r"```python\n(.*?)```", inside, re.DOTALL)
    assert len(blocks) == 1, "a solution is one block of code"
    return blocks[0]


@every_notebook
def test_file_is_clean(path):
    notebook = read(path)
    for cell in cells(path, "code"):
        assert cell["outputs"] == [] and cell["execution_count"] is None, "stored outputs: make strip removes them"
    assert notebook["nbformat"] == 4 and notebook["nbformat_minor"] == 5
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert "widgets" not in notebook["metadata"]
    assert path.read_text(encoding="utf8").endswith("}\n")


@every_notebook
def test_code_that_would_give_an_answer_away_is_folded_on_the_page_and_in_jupyterlab(path):
    for cell in cells(path, "code"):
        folded = [
            "hide-input" in cell["metadata"].get("tags", []),
            cell["metadata"].get("jupyter", {}).get("source_hidden", False),
        ]
        assert folded == ["stops=" in source(cell)] * 2, cell["id"]


@every_notebook
def test_cells_have_readable_ids(path):
    ids = [cell["id"] for cell in read(path)["cells"]]
    assert len(set(ids)) == len(ids)
    assert not [name for name in ids if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or len(name) > 30]


@every_notebook
def test_cells_are_short(path):
    long_code = {cell["id"]: len(source(cell).strip().splitlines()) for cell in cells(path, "code")}
    assert not {name: lines for name, lines in long_code.items() if lines > CODE_LINES}
    words = {
        cell["id"]: len(prose(source(cell)).split())
        for cell in cells(path, "markdown")
        if "<details" not in source(cell) and "## Sources" not in source(cell)
    }
    assert not {name: count for name, count in words.items() if count > WORDS}


@every_notebook
def test_has_the_anatomy_of_a_chapter(path):
    text = "\n".join(source(cell) for cell in cells(path, "markdown"))
    (title,) = re.findall(r"^# (.+)$", text, re.MULTILINE)
    assert "-" not in title, "on a phone a title breaks at a hyphen, but not at a non-breaking one, U+2011"
    found = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [heading for heading in found if heading in HEADINGS] == HEADINGS
    code = "\n".join(source(cell) for cell in cells(path, "code"))
    for part in ("recall", "predict", "check"):
        assert re.search(rf'Quiz\("\w+", "{part}"\)', code), f"no {part} quiz"
    assert re.search(r"StateExplorer\(|figures\.\w+\(", code)
    practice = re.search(r"## Practice\n\n(.*)", text)[1]
    assert "(../book/how_to_use.md#running-the-notebooks)" in practice, "where an exercise can be run"


@every_notebook
def test_pictures_say_what_they_show(path):
    text = "\n".join(source(cell) for cell in cells(path, "markdown"))
    assert not re.findall(r"!\[\s*\]\(", text)
    assert not re.findall(r"<img(?![^>]*\balt=\"[^\"]+\")", text)


@every_notebook
def test_does_not_define_again_what_the_library_has(path):
    public = {name for name in dir(linattn) if not name.startswith("_")}
    defined = set()
    for cell in cells(path, "code"):
        if not is_exercise(cell):
            defined |= {node.name for node in ast.walk(ast.parse(source(cell))) if isinstance(node, ast.FunctionDef)}
    assert not defined & public


@every_notebook
def test_exercises_tell_unfilled_from_solved(path):
    """Each stub is not attempted and raises nothing; each printed solution, in its place, is right."""
    notebook = read(path)["cells"]
    namespace: dict = {"__name__": "__main__"}
    solved = 0
    for index, cell in enumerate(notebook):
        if cell["cell_type"] != "code":
            continue
        if not is_exercise(cell):
            run(source(cell), namespace)
            continue
        unfilled = run(source(cell), namespace)
        assert isinstance(unfilled, Diagnosis) and unfilled.status == "not attempted", cell["id"]
        answer = run(solution(notebook[index + 1 :]), dict(namespace))
        assert isinstance(answer, Diagnosis) and answer.status == "right", f"{cell['id']}: {answer}"
        assert '<details class="la-hint">' in source(notebook[index + 1])
        solved += 1
    assert solved >= 3


def test_table_of_contents_lists_every_notebook():
    listed = set(re.findall(r"file: (notebooks/\S+)", (ROOT / "_toc.yml").read_text(encoding="utf8")))
    assert listed == {f"notebooks/{path.stem}" for path in PATHS}
