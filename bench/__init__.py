"""Measurements: kformat compared with other readers and writers of Kafka's formats, in one run, as ratios."""
