"""The test format of the suite `sources`; a separate module because lit pickles formats between processes."""
import lit.formats


class OnlyWithRunLines(lit.formats.ShTest):
    """Runs only files with a RUN line: outside test/, most pages and programs are not tests."""

    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        for test in super().getTestsInDirectory(suite, path, lit_config, local_config):
            with open(test.getSourcePath(), encoding="utf-8", errors="replace") as f:
                if "RUN:" in f.read():
                    yield test
