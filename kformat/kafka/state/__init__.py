"""What Kafka's own topics and its metadata log say: topics, groups, transactions, a cluster, at a moment."""
