"""Who may import whom (design §2), and what `import linattn` costs."""

import ast
import subprocess
import sys
from pathlib import Path

import linattn

PACKAGE = Path(linattn.__file__).parent
# Each layer may import from the layers before it, and from its own.
LAYERS = [
    {"feature_maps"},
    {"inputs", "state", "sweeps", "chunked", "attention"},
    {"softmax", "tracing", "relatives", "layers", "distributed"},
    {"tasks", "checks", "benchmark"},
    {"figure_style", "figure_page", "figures", "widgets"},
]
CORE = LAYERS[0] | LAYERS[1]
PLOTS = {"torch", "plotly", "IPython"}
OUTSIDE = {name: PLOTS for name in ("figures", "figure_style", "figure_page")}
OUTSIDE["widgets"] = {"torch", "anywidget", "traitlets", "IPython", "ipywidgets"}


def layer(module: str) -> int:
    return next(i for i, names in enumerate(LAYERS) if module in names)


def imports(path: Path):
    """(module, whether of this package) of every import statement in a file, also inside functions."""
    depth = len(path.relative_to(PACKAGE).parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name.split(".")[0], name.name.startswith("linattn")
        elif isinstance(node, ast.ImportFrom):
            own = node.level > 0 or node.module.split(".")[0] == "linattn"
            if not own:
                yield node.module.split(".")[0], False
            elif node.level == depth or node.level == 0:
                inside = (node.module or "").removeprefix("linattn").lstrip(".")
                for name in [inside] if inside else [n.name for n in node.names]:
                    yield name.split(".")[0], True


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).with_suffix("").parts[0]
        if path != PACKAGE / "__init__.py":
            yield name, path


def test_imports_go_one_way():
    seen = set()
    for name, path in modules():
        for other, own in imports(path):
            if own and (PACKAGE / f"{other}.py").exists() | (PACKAGE / other).is_dir():
                assert layer(other) <= layer(name), f"{path.name} imports {other}"
                seen.add((name, other))
    assert ("attention", "chunked") in seen and ("checks", "attention") not in {(b, a) for a, b in seen}


def test_each_module_needs_only_what_its_layer_may():
    optional = {"fla", "performer_pytorch", "linear_attention_transformer"}  # benchmark's peers, when installed
    for name, path in modules():
        for other, own in imports(path):
            if not own and other not in sys.stdlib_module_names:
                allowed = OUTSIDE.get(name, {"torch"}) | (optional if name == "benchmark" else set())
                assert other in allowed, f"{path.name} imports {other}"


def test_importing_linattn_loads_torch_and_nothing_of_the_book():
    """Compared with `import torch` alone, which itself loads numpy where it is installed."""
    script = "import sys; import {}; print(sorted(set(m.split('.')[0] for m in sys.modules)))"
    loaded = [
        set(ast.literal_eval(subprocess.check_output([sys.executable, "-c", script.format(name)], text=True)))
        for name in ("torch", "linattn")
    ]
    assert loaded[1] - loaded[0] - set(sys.stdlib_module_names) <= {"linattn"}


def test_every_public_name_is_there_and_documented():
    for name in linattn.__all__:
        assert getattr(linattn, name).__doc__, name
    assert sorted(linattn.__all__) == linattn.__all__


def test_the_core_can_be_read_in_half_an_hour():
    def lines(names):
        return sum(len((PACKAGE / f"{name}.py").read_text(encoding="utf-8").splitlines()) for name in names)

    assert lines(CORE) <= 960
    assert lines(CORE | {"softmax", "tracing"}) <= 1060  # which stood in the core: moving them made room for nothing
