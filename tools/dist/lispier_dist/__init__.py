"""What `pip install .` calls (PEP 517): builds the portable tool in the source tree's build folder, and packs it with
the Python package as a wheel. It needs nothing from the network, no package of Python, and changes nothing outside the
build folder.

`--config-settings=build=FOLDER` names another build folder.
"""
from . import tree, wheel


def get_requires_for_build_wheel(config_settings=None):
    tree.check_packages()
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return wheel.write_metadata(metadata_directory)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tree.Staged((config_settings or {}).get("build")) as staged:
        return wheel.write(staged, wheel_directory)
