"""What a run ends with on the screen: the main numbers, or which jobs failed and why."""


onsuccess:
    shell(
        "test ! -e results/report/index.html || python {SCRIPTS:q}/show_metrics.py --metrics results/metrics.tsv"
        " --comparisons results/comparisons --provenance results/provenance.json --report results/report/index.html"
    )


onerror:
    for handler in screen:
        handler.finish()
    shell("python {SCRIPTS:q}/explain_failure.py --log {log:q}")
