"""A module and what it imports become one self-contained source."""

import gzip

import pytest

from linattn.widgets import base


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Write modules, bundled from a folder of their own."""
    monkeypatch.setattr(base, "HERE", tmp_path)

    def write(**sources: str) -> None:
        for name, source in sources.items():
            (tmp_path / f"{name}.js").write_text(source, encoding="utf-8")

    return write


def run(page, source: str) -> object:
    return page.evaluate("(source) => new Function(`${source}; return render();`)()", source)


def test_equal_names_in_two_files_do_not_collide(page, modules):
    modules(
        a='import { one as first } from "./b.js";\nconst secret = 10;\nexport const render = () => secret + first();\n',
        b="const secret = 1;\nexport function one() {\n  return secret;\n}\n",
    )
    assert run(page, base.bundle("a")) == 11


def test_a_shared_module_is_there_once(modules):
    modules(
        a='import { b } from "./b.js";\nimport { c } from "./c.js";\nexport const render = () => b + c;\n',
        b='import { c } from "./c.js";\nexport const b = c;\n',
        c="export const c = 1;\n",
    )
    assert base.bundle("a").count("const $c =") == 1


def test_comments_stay_at_home_but_text_with_slashes_does_not_suffer(page, modules):
    modules(a='/** doc\n * more */\n// note\nexport const render = () => "http://x"; // tail\n')
    source = base.bundle("a")
    assert "note" not in source and "doc" not in source
    assert run(page, source) == "http://x"


def test_imports_in_a_circle_are_refused(modules):
    modules(a='import { b } from "./b.js";\n', b='import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match="a -> b -> a"):
        base.bundle("a")


@pytest.mark.parametrize(
    "line",
    ['import x from "./b.js";', 'import "./b.js";', 'import { a } from "b";', "export default 1;", "export { a };"],
)
def test_other_kinds_of_import_and_export_are_refused(modules, line):
    modules(a=f"{line}\n", b="export const a = 1;\n")
    with pytest.raises(ValueError, match="only named imports"):
        base.bundle("a")


@pytest.mark.parametrize("name", base.MODULES)
def test_every_widget_is_a_valid_module_and_a_valid_script(page, name):
    assert "state_explorer" in base.MODULES
    load = """async (source) => {
      const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      return typeof (await import(url)).default.render;
    }"""
    assert page.evaluate(load, base.esm(name)) == "function"
    page.add_script_tag(content=base.site_script(name))
    assert page.evaluate("(name) => typeof window.linattn.widgets[name].render", name) == "function"


def reached(module: str) -> set[str]:
    """The module and all that it imports."""
    source = (base.HERE / f"{module}.js").read_text(encoding="utf-8")
    return {module}.union(*(reached(found) for _, found in base._IMPORT.findall(source)))


@pytest.mark.parametrize("name", base.MODULES)
def test_a_widget_has_at_most_15_kb_of_its_own_compressed(name):
    others = set().union(*(reached(other) for other in base.MODULES if other != name))
    own = sorted(reached(name) - others)
    sources = ((base.HERE / f"{module}.js").read_text(encoding="utf-8") for module in own)
    size = len(gzip.compress("".join(base._COMMENT.sub("", source) for source in sources).encode()))
    assert own and size <= 15_000, f"{size} bytes in {own}"
