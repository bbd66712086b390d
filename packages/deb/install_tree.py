"""The files of a system package, in their places: the same as those of `cmake --install --prefix /usr`."""
from release import ROOT

PLACES = {
    "rocktable.1": "share/man/man1/rocktable.1",
    "rocktable.bash": "share/bash-completion/completions/rocktable",
    "rocktable.zsh": "share/zsh/vendor-completions/_rocktable",
    "rocktable.fish": "share/fish/vendor_completions.d/rocktable.fish",
}


def install(release, architecture, prefix):
    """`prefix`: the folder that becomes /usr."""
    release.copy_program(architecture, prefix / "bin" / "rocktable")
    texts = {PLACES[name]: text for name, text in release.documents().items()}
    texts["lib/systemd/system/rocktable.service"] = (ROOT / "packages" / "deb" / "rocktable.service").read_text()
    for name, text in release.license_texts().items():
        texts[f"share/doc/rocktable/{name}"] = text
    for place, text in texts.items():
        (prefix / place).parent.mkdir(parents=True, exist_ok=True)
        (prefix / place).write_text(text)
