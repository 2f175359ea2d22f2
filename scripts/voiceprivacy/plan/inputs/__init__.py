"""What rules ask of a plan: functions that Snakemake calls with the wildcards of a job."""
