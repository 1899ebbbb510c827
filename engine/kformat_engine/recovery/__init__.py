"""Recovery: what lies in a partition's folder, what has to be done about it, and doing it.

`opening` is where it begins. What is done about what stands in `table`. `examination` finds out which state there is:
it goes through the folder, `segment_examination` looks at one segment with what `evidence` and `verification` say of
its files, `sidecars` at what lies next to the segments. They fill a `plan`, and `report` says what it holds.

Rules:

* Leftovers of deletions, cleanings and splits first (LogLoader.load), then the segments in ascending order, then what
  lies next to them. The folder is looked at once, and all is planned before anything is changed: a refusal leaves every
  name and byte as it was.
* After an unclean shutdown every byte is looked at from the segment on that holds the recovery point. After a clean
  one: the end of the last segment, and the segments whose indexes have to be rebuilt.
* Bytes are copied aside, and the copy synced, before they are cut; later segments go before the earlier one is cut, the
  last first. So if recovery is interrupted, the next run completes it.
* What is kept aside is called ``torn-<base offset>-<position>.bytes``: brokers pass over such names. Nobody removes it.
  Zeros are cut without keeping them.
* Indexes are replaced as whole files, atomically.
"""
