"""rocktable-VERSION-linux-ARCHITECTURE.tar.gz: one folder with the program, its manual page, completions and licences."""
from archive import entries_below, gzipped, tar_bytes


def make(release):
    for architecture in release.architectures:
        name = f"rocktable-{release.version}-linux-{architecture}"
        with release.staging() as folder:
            release.copy_program(architecture, folder / "rocktable")
            texts = {
                **release.license_texts(),
                "rocktable.1": release.documents()["rocktable.1"],
                "completions/rocktable.bash": release.documents()["rocktable.bash"],
                "completions/_rocktable": release.documents()["rocktable.zsh"],
                "completions/rocktable.fish": release.documents()["rocktable.fish"],
            }
            for file, text in texts.items():
                (folder / file).parent.mkdir(exist_ok=True)
                (folder / file).write_text(text)
            out = release.out / f"{name}.tar.gz"
            out.write_bytes(gzipped(tar_bytes(entries_below(folder, name), release.time)))
            yield out
