"""The test format of the second suite; a module of its own because lit sends formats between processes."""
import lit.formats


class OnlyWithRunLines(lit.formats.ShTest):
    """Outside test/ most pages and programs are no tests: those without a RUN line are passed over."""

    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        for test in super().getTestsInDirectory(suite, path, lit_config, local_config):
            with open(test.getSourcePath(), encoding="utf-8", errors="replace") as f:
                if "RUN:" in f.read():
                    yield test
