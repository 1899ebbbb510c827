"""Recovery: examining a partition's folder, planning the changes, and making them.

`opening` has the entry points. `table` maps each state to an action. `examination` determines the states: it goes
through the folder, `segment_examination` examines one segment with the facts that `evidence` and `verification` collect
about its files, `sidecars` the files next to the segments. They fill a `plan`, and `report` describes it.

Rules:

* Leftovers of deletions, cleanings and splits first (LogLoader.load), then the segments in ascending order, then the
  files next to them. The folder is read once, and everything is planned before anything is changed: a refusal leaves
  every name and byte unchanged.
* After an unclean shutdown every byte is read from the segment on that holds the recovery point. After a clean one: the
  end of the last segment, and the segments whose indexes have to be rebuilt.
* Bytes are copied aside, and the copy synced, before they are cut; later segments are removed before the earlier one is
  cut, the last first. So if recovery is interrupted, the next run completes it.
* Files that are kept aside are named ``torn-<base offset>-<position>.bytes``: brokers ignore such names. Nothing
  removes them. Zeros are cut without keeping them.
* Indexes are replaced as whole files, atomically.
"""
