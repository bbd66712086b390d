"""Bare Debian systems in folders, and commands in them. Requires root.

A new system is made by debootstrap (variant minbase), with the package sources and download settings of apt on this
machine. Each command has its own mount namespace, so that its mounts end with it.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PASSED_ON = ("http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
DOWNLOADS = ("Acquire::http", "Acquire::https", "Acquire::Check-", "Acquire::Retries")


CERTIFICATES = "etc/ssl/machine.pem"  # in a system


def pass_certificates_on(root):
    """Gives a system the certificate authorities that npm and Node.js trust on this machine, besides the usual ones: those of
    a proxy, or of a registry of one's own. Returns the environment that names them, and the registry."""
    environment = {}
    told = os.environ.get("NODE_EXTRA_CA_CERTS") or output("npm", "config", "get", "cafile").strip()
    if told and pathlib.Path(told).is_file():
        shutil.copy(told, root / CERTIFICATES)
        environment |= {"NODE_EXTRA_CA_CERTS": f"/{CERTIFICATES}", "npm_config_cafile": f"/{CERTIFICATES}"}
    registry = output("npm", "config", "get", "registry").strip()
    if registry.startswith("http"):
        environment["npm_config_registry"] = registry
    return environment


def require_root(program):
    """Exits with a message if this process cannot make systems."""
    if os.geteuid() != 0:
        print(f"{program}: needs root, to make a system (debootstrap) and enter it (chroot); "
              f"please run: sudo {shlex.join([program, *sys.argv[1:]])}", file=sys.stderr)
        sys.exit(1)
    if not shutil.which("debootstrap", path=PATH):
        print(f"{program}: debootstrap is missing; please run: apt-get install debootstrap", file=sys.stderr)
        sys.exit(1)


def output(*command):
    """Returns the output of a command; empty if it is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def debian_sources(release, listed, codename):
    """Returns [(URI, suite, component)] for `release`, derived from those `listed` for the release `codename`."""
    sources = []
    for line in listed.splitlines():
        uri, suite, component = line.split("|")
        name, hyphen, pocket = suite.partition("-")
        if name == codename:
            source = (uri, release + hyphen + pocket, component)
            sources += [source] if source not in sources else []
    return sources


def machine_sources(release):
    """Returns [(URI, suite, component)] of the archives in this machine's apt sources, for another release of
    Debian."""
    told = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    if told.get("ID") != "debian":
        return []
    listed = output("apt-get", "indextargets", "--format", "$(REPO_URI)|$(RELEASE)|$(COMPONENT)", "Created-By: Packages")
    return debian_sources(release, listed, told.get("VERSION_CODENAME", "").strip('"'))


def make_base(folder, release):
    """Makes a minimal system of `release` in a new folder."""
    sources = machine_sources(release)
    mirror = [uri for uri, suite, _ in sources if suite == release][:1]  # otherwise debootstrap chooses
    secure = ["--include=ca-certificates"] if any(uri.startswith("https:") for uri, _, _ in sources) else []
    log = folder.with_name(folder.name + ".log")
    with log.open("w") as file:
        made = subprocess.run(["debootstrap", "--variant=minbase", *secure, release, folder, *mirror],
                              stdout=file, stderr=subprocess.STDOUT, env={**os.environ, "PATH": PATH})
    if made.returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        sys.exit(f"debootstrap could not make {release}:\n" + "".join(log.open().readlines()[-10:]))
    log.unlink()
    if sources:
        text = "".join(f"deb {uri} {suite} {component}\n" for uri, suite, component in sources)
        (folder / "etc/apt/sources.list").write_text(text)
    (folder / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")  # as an installer does
    settings = [line for line in output("apt-config", "dump").splitlines() if line.startswith(DOWNLOADS)]
    (folder / "etc/apt/apt.conf.d/90downloads").write_text("\n".join(settings) + "\n")
    # as in Docker images: no fsync for each file
    (folder / "etc/dpkg/dpkg.cfg.d/90unsafe-io").write_text("force-unsafe-io\n")


class Chroot:
    """A system in a folder. Commands run as `user` (UID:GID) in `folder`; both can be changed."""

    def __init__(self, root, release, base=None):
        """Makes a new system in the folder `root`: a copy of the folder `base`, which is made first if it does not
        exist."""
        self.root = pathlib.Path(root)
        self.folder = "/"
        self.user = "0:0"
        if base and not base.exists():
            make_base(base, release)
        if base:
            subprocess.run(["cp", "-a", base, self.root], check=True)
        else:
            make_base(self.root, release)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        (self.root / "etc/ssl").mkdir(exist_ok=True)
        self.home = "/root"
        self.environment = pass_certificates_on(self.root)

    def start(self, words, user=None, **options):
        """Starts a shell command in the system, with /dev, its terminals included, and /proc. Signals reach the command directly."""
        chroot = ["chroot", f"--userspec={user or self.user}", self.root, "/bin/sh", "-c",
                  f"cd {shlex.quote(self.folder)} && exec {words}"]
        mounts = f"mount -t proc proc {self.root}/proc && mount --rbind /dev {self.root}/dev && exec {shlex.join(map(str, chroot))}"
        passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment = {"PATH": PATH, "HOME": self.home, **passed_on, **self.environment}
        return subprocess.Popen(["unshare", "--mount", "/bin/sh", "-c", mounts], env=environment, **options)

    def run(self, command):
        status = self.start(f"/bin/sh -c {shlex.quote(command)}").wait()
        assert status == 0, f"ended with {status}: {command}"

    def path(self, inside):
        return self.root / pathlib.PurePosixPath(self.folder, inside).relative_to("/")
