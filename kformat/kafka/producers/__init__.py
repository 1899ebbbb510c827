"""Producers and transactions, as a partition knows them."""
