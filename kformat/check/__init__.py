"""`kformat.check`: rules about Kafka's files, and the findings that they make. `kformat.kafka.findings` has others."""
