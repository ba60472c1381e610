"""Archives, for machines without Python and package manager: unpacked, they are used where they lie."""
import io
import lzma
import tarfile
from pathlib import Path

from . import tree


def write(staged, folder, compression=9 | lzma.PRESET_EXTREME):
    """Writes the archive, and returns its name."""
    base = f"lispier-{tree.version()}"
    name = base + "-linux-x86_64.tar.xz"
    files = staged.files() + [("LICENSE", tree.ROOT / "LICENSE"),
                              ("README.md", tree.ROOT / "tools" / "lispier-portable" / "README.md")]
    files += [("share/doc/lispier/licences/" + licence, path) for licence, path in tree.licences()]
    with tarfile.open(Path(folder) / name, "w:xz", preset=compression) as archive:
        for path, source in sorted(files):
            entry = tarfile.TarInfo(f"{base}/{path}")
            content = source.read_bytes()
            entry.size, entry.mtime = len(content), tree.timestamp()
            entry.mode = 0o755 if source.stat().st_mode & 0o100 else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return name
