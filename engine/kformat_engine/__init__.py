"""An embedded log in Kafka's files: append, read, look up by offset and by time, in a directory that a broker opens."""
