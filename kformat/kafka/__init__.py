"""What Kafka's files mean: batches, records, indexes, partitions, lookups, columns of records."""
