"""versions.py SOURCE: prints the versions that files of the source tree name."""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
source = Path(sys.argv[1])
sys.path.insert(0, str(source / "tools" / "dist"))
from lispier_dist import tree  # pylint: disable=wrong-import-position

print("project", re.search(r"project\(\w+ VERSION (\S+)", (source / "CMakeLists.txt").read_text())[1])
print("packages", tree.version())
print("changes", re.search(r"^## (\S+)", (source / "CHANGELOG.md").read_text(), re.M)[1])
