"""Kafka's own messages: their schemas, as Kafka's jars have them, and the declarations made of them."""
