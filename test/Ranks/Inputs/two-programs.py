"""two-programs COMMAND -- COMMAND: runs the commands as rank 0 and 1 of one job, and fails if one of them fails."""
import os
import subprocess
import sys

words = sys.argv[1:]
middle = words.index("--")
processes = []
for rank, command in enumerate((words[:middle], words[middle + 1:])):
    variables = dict(os.environ, LISPIER_RANK=str(rank), LISPIER_RANKS="2", LISPIER_JOB=f"two-programs-{os.getpid()}")
    processes.append(subprocess.Popen(command, env=variables))
sys.exit(max(process.wait() for process in processes) != 0)
