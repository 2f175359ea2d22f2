"""What several tests share: made-up speech, scores, models, runs, and programs that are started."""
