"""One module for each job and command; the first that they import."""

import os

# numpy's linear algebra is of small matrices: threads would wait for each other, most of the time
# of a busy machine. Threads that a person or Snakemake asks for stay.
os.environ.setdefault("OMP_NUM_THREADS", "1")
