"""Archives with the same bytes for the same contents: sorted names, one date, owner root."""
import gzip
import io
import tarfile


def tar_bytes(entries, time):
    """`entries`: tarfile.TarInfo and bytes (None: a folder or link) in the order of the archive. Sets the date and, unless the
    entry has another, the owner root."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for info, content in entries:
            info.mtime = time
            info.size = len(content or b"")
            archive.addfile(info, io.BytesIO(content) if content is not None else None)
    return out.getvalue()


def file_entry(name, content, mode=0o644):
    info = tarfile.TarInfo(name)
    info.mode = mode
    return info, content


def folder_entry(name, mode=0o755, owner=0):
    info = tarfile.TarInfo(name)
    info.type = tarfile.DIRTYPE
    info.mode = mode
    info.uid = info.gid = owner
    return info, None


def link_entry(name, target):
    info = tarfile.TarInfo(name)
    info.type = tarfile.SYMTYPE
    info.linkname = target
    info.mode = 0o777
    return info, None


def entries_below(folder, prefix):
    """All files, folders and links below a folder, under the name `prefix`, sorted."""
    yield folder_entry(prefix)
    for path in sorted(folder.rglob("*")):
        name = f"{prefix}/{path.relative_to(folder)}"
        if path.is_symlink():
            yield link_entry(name, str(path.readlink()))
        elif path.is_dir():
            yield folder_entry(name)
        else:
            yield file_entry(name, path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)


def gzipped(content):
    return gzip.compress(content, compresslevel=9, mtime=0)
