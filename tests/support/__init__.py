"""What several tests share: made-up speech, scores, models and runs, and programs in processes of their own."""
