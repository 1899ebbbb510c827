meta:
  id: dos_datetime
  title: Date and time of MS-DOS
  license: Apache-2.0
  ks-version: '0.10'
  bit-endian: le
doc: |
  Two seconds' resolution, from 1980 to 2107, in local time: FAT and ZIP have it.

  The names are those of the declaration that Kaitai's library has under the same path, for which this one stands.
doc-ref: https://learn.microsoft.com/en-us/windows/win32/sysinfo/ms-dos-date-and-time
seq:
  - id: time
    type: time
  - id: date
    type: date
types:
  time:
    seq:
      - id: second_div_2
        type: b5
        valid:
          max: 29
      - id: minute
        type: b6
        valid:
          max: 59
      - id: hour
        type: b5
        valid:
          max: 23
    instances:
      second:
        value: second_div_2 * 2
      padded_second:
        value: '(second < 10 ? "0" : "") + second.to_s'
      padded_minute:
        value: '(minute < 10 ? "0" : "") + minute.to_s'
      padded_hour:
        value: '(hour < 10 ? "0" : "") + hour.to_s'
  date:
    seq:
      - id: day
        type: b5
        valid:
          min: 1
      - id: month
        type: b4
        valid:
          min: 1
          max: 12
      - id: year_minus_1980
        type: b7
    instances:
      year:
        value: year_minus_1980 + 1980
      padded_day:
        value: '(day < 10 ? "0" : "") + day.to_s'
      padded_month:
        value: '(month < 10 ? "0" : "") + month.to_s'
      padded_year:
        value: year.to_s
