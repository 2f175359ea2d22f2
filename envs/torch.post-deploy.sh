# Run by Snakemake in the new environment: nothing that the package requires is needed. (make lock)
set -eu
python -m pip install --no-deps --disable-pip-version-check --requirement /dev/stdin <<'LOCK'
resemblyzer==0.1.4 \
    --hash=sha256:8f12eb2f1a9982d32e8db7856de754709b59c93a77bcf0ff536584b619a9dd1f \
    --hash=sha256:ae98d6eaf1def4b91d353347f7d31f10c29e8e109b5196ab29b390293036ad19
LOCK
