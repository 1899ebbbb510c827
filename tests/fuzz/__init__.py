"""Coverage-guided fuzzing: `make fuzz`, with atheris (extra ``fuzz``), in an environment of its own.

    python -m tests.fuzz [--seconds 60] [--keep FOLDER] [TARGET...]
    python -m tests.fuzz.one TARGET FILE...      once more with inputs that were found

`targets` says what bytes are shown to and which errors are documented there; anything else that comes out is a crash,
as is an input that takes longer than `LONGEST_S` or more memory than `MOST_MIB`. `seeds` gives each target the corpus
in the form that it takes. Targets run in processes of their own, two at a time.
"""
