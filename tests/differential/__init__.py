"""Differential tests: damaged bytes of every format through several readers, and what they do not agree in.

    inputs      sound bytes to begin with: golden ones, extremes, what brokers wrote
    mutation    one seed and one number -> one damaged case, the same on every machine
    readers     kformat, the witness, kafka-python, aiokafka (C and Python), Kafka itself -> what each makes of bytes
    classes     every known kind of disagreement: how it is recognised, what it is, who is right
    run         cases through readers, in several processes; what was found, counted by class
    hazards     what a reader cannot be asked, because it would hang or read foreign memory

A disagreement that no class knows fails the tests. `python -m tools.differential` runs as many cases as one likes,
shows a single one, and writes docs/differences.md.
"""
