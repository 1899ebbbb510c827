"""`docs/rules.md`: the rules of `kformat check`."""

from __future__ import annotations

from typing import Final

from kformat.check.checker import RULES
from kformat.kafka.findings.explanations import explanations


def page() -> str:
    """The table of rules, and what `kformat explain` says of each, as a Markdown document."""
    # The modules state their rules when they are imported; `checker` imports all of them.
    rules = sorted(RULES.values(), key=lambda item: item.id)
    rows = "\n".join(
        f"| [{item.id}](#{item.id.lower()}) | {item.severity} | {item.says} | {item.source} | {item.kafka} |"
        for item in rules
    )
    heads = ("id", "severity", "says", "source", "what Kafka does where it is broken")
    table = f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|\n{rows}\n"
    explained = "\n".join(f"### {item.id}\n\n{explanations()[item.id].as_markdown()}" for item in rules)
    return f"{_INTRODUCTION}\n{table}\n{_EXPLAINED}\n{explained}"


_EXPLAINED: Final = """\
## Each rule explained

`kformat explain KF0201` prints the same.
"""


_INTRODUCTION: Final = """\
# The rules of `kformat check`

Made from `kformat/check/` by `make generate`.

A finding names the rule that is broken, the file, the position in bytes and what lies there. Ids keep their meaning.

* **error**: data is lost or unreadable, or Kafka answers wrongly.
* **warning**: no Kafka version writes this, but Kafka tolerates it.
* **info**: worth knowing; nothing is wrong, and the exit status does not change.

Exit status: 0 sound, 1 findings, 3 a file could not be read.

## How it judges

* If the checksum of a batch is wrong, nothing else in the batch is judged, and no index entry by it: any of its bytes
  may be the wrong one. Length, magic and position are judged, because framing does not depend on the checksum.
* After a batch whose length cannot be right, the check continues at the next position in the offset index where a batch
  with a right checksum begins. Without such a position it ends there.
* Messages of magic 0 and 1 are judged like batches of magic 2, wrappers with the messages in them. A log may begin with
  older ones and go on with newer ones.
* The last segment of a folder may be one that is being written to: its indexes may end in zeros, and its time index may
  lack the final entry as long as it does.
* Next to a running broker, and in a copy made while one ran, the last batch may be half written, and the other files
  may be older or newer than the log. Check again, or make another copy, before you believe KF0102, KF0103, KF0104,
  KF0405, KF0505, KF0608, KF0609 and KF0804 of its end, and KF0814, KF0815, KF0817 and KF1201 of a root.
* A broker truncates the indexes of the last segment by counting: the slots after the count keep their bytes until the
  broker writes over them or cuts the files to their entries. So a replica that lost an election has such slots, in the
  files of a running broker, of one that was killed, and in copies. They may look valid: increasing, and inside the log.
  `check` takes the first wrong slot of an index in use, and all after it, for such slots, and reports them once a file
  (KF0409, KF0510). (Next to a running broker they may also be newer than the log as `check` read it.) An index is in
  use if it is of the last segment and has zeros at its end, or if it is full and the other index of the segment has.
  The slots stay errors where no truncation can have left them:
  * one of them is all zeros, has a value out of range, or has an offset below its own number;
  * more of them describe the log, and go on in order from those before, than fit between the last entry in use and the
    log's end: two of an `.index`, three of a `.timeindex`. A broker writes a new entry after at most one interval;
  * the log goes on after the last entry in use for more than 16 MiB and twelve times the widest distance of entries.
* Compacted segments are sound: gaps between offsets, empty batches, delete horizons, sparse index entries whose offset
  lies inside of a batch with gaps.
* Files next to the logs are wrong only if they certainly contradict the logs. Compaction and retention remove what a
  transaction index or a producer snapshot refers to, brokers forget silent producers, and a root's checkpoints are
  older than the logs: none of that is a finding. After a gap between offsets, transactions that began before it are
  not judged.
* A root's checkpoints are held against the partitions that lie in it, where the root itself is checked; a partition
  that they do not name is sound.
* Records are decoded in Kafka's own topics only, which the folder's name says, and in snapshots of the metadata. Of
  the metadata, levels count from the record that states them; those from before a log's first record are taken from a
  snapshot next to it, and are not known to a check of one file, or after damage.
* Where a root is checked that has `__cluster_metadata` without damage, its partitions are held against it (KF0814,
  KF0815), if the broker that `meta.properties` names has registered there. Committed offsets (KF1201) are held against
  the logs of the same root. Other disks of the broker or the cluster may have more. Both read the topics once more;
  KF1201 needs the extra `arrow`, and is left out without it, which is reported as an info (KF0001).
* `--no-records` leaves out KF03xx, KF0814, KF0815, KF0904 and KF1201.

## Writer profiles

What an index entry holds depends on the Kafka version that wrote it:

| profile | Kafka | offset in `.index` | offset in `.timeindex` |
|---|---|---|---|
| `first-offset` | 0.8 to 1.1 | first of the append | record with the largest timestamp, or last of its batch |
| `last-offset` | 2.0 to 3.7 | last of the append | record with the largest timestamp, or last of its batch |
| `batch-time` | 3.8 to 3.9.0 | last of the append | last of the batch that holds it |
| `per-batch` | 3.9.1, 4.0 on | last of the batch | last of the batch that holds it |

Where no profile is given it is inferred, segment by segment: the newest one that explains all entries of both indexes.
Where none does, entries of an older writer followed by those of a newer one are sound (Kafka was upgraded while the
segment was being written). Otherwise the profile that explains most entries is taken, the newest of equals, and what it
does not explain is found.

An append of several batches (a follower's, a cleaner's) is indexed once up to 3.9.0, with its last offset and the
position of its first batch; so under `last-offset` and `batch-time` an entry's offset may be that of any batch before
the next entry. A lookup through such an entry is right, only longer.

## The rules
"""
