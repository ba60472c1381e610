"""log-of-each LOG COMMAND...: runs the command as two ranks, of which rank N logs the calls of the fake libraries in
LOG.N. Prints what rank 0 prints."""
import os
import subprocess
import sys

log, command = sys.argv[1], sys.argv[2:]
processes = []
for rank in range(2):
    variables = dict(os.environ, LISPIER_RANK=str(rank), LISPIER_RANKS="2", LISPIER_ROOT=f"log-of-each:{os.getpid()}",
                     LISPIER_FAKE_LOG=f"{log}.{rank}")
    processes.append(subprocess.Popen(command, env=variables, stdout=None if rank == 0 else subprocess.DEVNULL))
sys.exit(max(process.wait() for process in processes) != 0)
