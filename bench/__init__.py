"""Measurements: kformat beside other readers and writers of Kafka's formats, in one run, as ratios."""
