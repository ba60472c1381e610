"""The test formats of the suites; a separate module because lit pickles formats between processes."""
import copy
import zlib

import lit.formats
import lit.Test
import lit.TestRunner


class Sweep:
    """Which part of the sweeps a run of the tests takes: 3/8, or all. test/README.md says what sweeps are."""

    def __init__(self, text):
        self.number, _, self.parts = (1, "", 1) if text == "all" else text.partition("/")
        self.number, self.parts = int(self.number), int(self.parts)
        if not 1 <= self.number <= self.parts:
            raise ValueError(f"sweep={text}: expected all, or a part such as 3/8")

    def takes(self, index):
        return index % self.parts == self.number - 1


class LispierTest(lit.formats.ShTest):
    def __init__(self, sweep):
        super().__init__(execute_external=False)
        self.sweep = sweep

    def execute(self, test, lit_config):
        name = zlib.crc32("/".join(test.path_in_suite).encode())  # Spreads tests, and the first lines of tests, over parts.
        whole = self.sweep.takes(name)
        test.config = copy.copy(test.config)
        test.config.environment = dict(test.config.environment)
        # Verification after each pass names the pass that broke the module. Quick code is that of the same passes, without
        # LLVM's optimisations, which take most of the time of a test that runs a program.
        test.config.environment["LISPIER_VERIFY_EACH"] = "1" if whole else "0"
        test.config.environment["LISPIER_EFFORT"] = "full" if whole else "quick"
        script = lit.TestRunner.parseIntegratedTestScript(test)
        if isinstance(script, lit.Test.Result):
            return script
        folder, base = lit.TestRunner.getTempPaths(test)
        substitutions = lit.TestRunner.getDefaultSubstitutions(test, folder, base)
        substitutions.append(("%{part}", f"--part={self.sweep.number}/{self.sweep.parts}"))
        script = lit.TestRunner.applySubstitutions(
            self.chosen(script, name), substitutions, {feature: True for feature in test.config.available_features},
            recursion_limit=test.config.recursiveExpansionLimit)
        if not script:  # All lines are of other parts.
            return lit.Test.Result(lit.Test.PASS)
        return lit.TestRunner._runShTest(test, lit_config, False, script, base)

    def chosen(self, script, name):
        """Without the commands that begin with %{sweep} and are not of this part."""
        lines, index = [], name
        for line in script:
            command = getattr(line, "command", "")
            if "%{sweep}" in command:
                index += 1
                if not self.sweep.takes(index):
                    continue
                line.command = command.replace("%{sweep}", "")
            lines.append(line)
        return lines


class OnlyWithRunLines(LispierTest):
    """Runs only files with a RUN line: outside test/, most pages and programs are not tests."""

    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        for test in super().getTestsInDirectory(suite, path, lit_config, local_config):
            with open(test.getSourcePath(), encoding="utf-8", errors="replace") as f:
                if "RUN:" in f.read():
                    yield test
