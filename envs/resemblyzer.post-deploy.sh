# Run by Snakemake in the new environment: only the package's weights are read, so nothing that it requires is installed.
set -eu
python -m pip install --no-deps --disable-pip-version-check resemblyzer==0.1.4
