"""NuGet packages, made by `dotnet pack`: the .NET tool rocktable, and the library Rocktable.Testing.

The program of each platform has a package for the tool and one for the library: `dotnet tool install` and a restored
project take only packages made for them.
"""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import time
import zipfile

from release import WINDOWS, file_name, system_of

SOURCE = pathlib.Path(__file__).resolve().parent
# Those of Linux are of glibc; the SDK takes them for musl as well.
RIDS = {"x86_64": "linux-x64", "aarch64": "linux-arm64", WINDOWS: "win-x64"}
WINDOWS_LINE = re.compile(r"^.*\bbuildTransitive/.*\n", re.MULTILINE)
PER_RID_LINE = re.compile(r"^.*\bRuntimeIdentifierPackage .*\n|^ *<dependency id=.*RID.*\n", re.MULTILINE)


def stage(release, folder):
    """Copies the sources and the programs, and writes the version and the runtime identifiers (RID) into them."""
    unused = shutil.ignore_patterns("*.py", "__pycache__", "bin", "obj")
    shutil.copytree(SOURCE, folder, dirs_exist_ok=True, ignore=unused)
    shutil.copyfile(release.license, folder / "LICENSE")
    (folder / "testing/_._").touch()  # in a package, the name says: nothing for this framework
    rids = {RIDS[platform]: platform for platform in release.programs}
    for rid, platform in rids.items():
        release.copy_program(platform, folder / rid / file_name(platform))
        licenses = release.license_texts(system_of(platform))
        (folder / rid / "THIRD-PARTY-LICENSES").write_text(licenses["THIRD-PARTY-LICENSES"])
        settings = (folder / "tool/executable/DotnetToolSettings.xml").read_text()
        (folder / rid / "DotnetToolSettings.xml").write_text(settings.replace("PROGRAM", file_name(platform)))

    def filled(text):
        text = PER_RID_LINE.sub(lambda line: "".join(line[0].replace("RID", rid) for rid in rids), text)
        return text.replace("0.0.0", release.version).replace("DESCRIPTION", release.description)

    for file in [folder / "testing/Rocktable.Testing.csproj", folder / "tool/DotnetToolSettings.xml"]:
        file.write_text(filled(file.read_text()))
    for template in sorted(folder.glob("*/*.nuspec")):
        for rid in rids if "RID" in template.name else [""]:
            target = folder / template.name.replace("RID", rid)
            text = filled(template.read_text()).replace("RID", rid)
            if rid:
                text = text.replace("PROGRAM", file_name(rids[rid]))
            target.write_text(text if rid == RIDS[WINDOWS] else WINDOWS_LINE.sub("", text))
        template.unlink()


def normalize(package, seconds):
    """Writes the archive again: one date, the modes of files, no random names (which some SDKs give to the properties
    of the package, and to the relations of its parts)."""
    date = time.gmtime(seconds)[:6]
    with zipfile.ZipFile(package) as archive:
        entries = {re.sub(r"[^/]+\.psmdcp$", "nuget.psmdcp", name): archive.read(name) for name in archive.namelist()}
    relations = re.sub(rb"[^/]+\.psmdcp", b"nuget.psmdcp", entries["_rels/.rels"])
    numbers = itertools.count(1)
    entries["_rels/.rels"] = re.sub(rb'\bId="R\w+"', lambda _: b'Id="R%d"' % next(numbers), relations)
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(entries.items()):
            info = zipfile.ZipInfo(name, date)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if name.endswith(("/rocktable", "/rocktable.exe")) else 0o100644) << 16
            archive.writestr(info, content)


def make(release):
    with release.staging() as folder:
        stage(release, folder)
        environment = {**os.environ, "DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1"}
        for project, *words in (["testing/Rocktable.Testing.csproj", "--configuration", "Release"], ["pack.csproj"]):
            command = ["dotnet", "build", folder / project, "--verbosity", "quiet", "-nodeReuse:false", *words]
            told = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if told.returncode != 0:
                raise SystemExit(f"{told.stdout}dotnet could not make the packages: {project} failed")
        made = sorted(folder.glob("bin/**/*.nupkg"))
        for package in made:
            normalize(package, release.time)
            shutil.copyfile(package, release.out / package.name)
    yield from (release.out / package.name for package in made)
