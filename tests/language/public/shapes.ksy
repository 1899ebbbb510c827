meta:
  id: shapes
  title: ESRI shapefile, the shapes
  file-extension: shp
  license: Apache-2.0
  endian: le
doc-ref: ESRI Shapefile Technical Description, July 1998
seq:
  - {id: header, type: header}
  - {id: records, type: record, repeat: eos}
types:
  header:
    seq:
      - {id: file_code, type: u4be, valid: 9994}
      - {id: unused, size: 20}
      - {id: length_words, type: u4be, doc: 16-bit words of the whole file}
      - {id: version, type: u4, valid: 1000}
      - {id: shape_kind, type: u4, enum: kind}
      - {id: bounds, type: bounds}
      - {id: z, type: range}
      - {id: m, type: range}
    instances:
      length: {value: 2 * length_words}
  record:
    seq:
      - {id: number, type: u4be}
      - {id: length_words, type: u4be}
      - {id: shape, type: shape, size: 2 * length_words}
  shape:
    seq:
      - {id: kind, type: u4, enum: kind}
      - id: body
        type:
          switch-on: kind
          cases:
            'kind::point': point
            'kind::polyline': parts_and_points(false, false)
            'kind::polygon': parts_and_points(false, false)
            'kind::multipoint': points
            'kind::point_z': point_z
            'kind::polyline_z': parts_and_points(true, true)
            'kind::polygon_z': parts_and_points(true, true)
            'kind::point_m': point_m
            'kind::polyline_m': parts_and_points(false, true)
            'kind::polygon_m': parts_and_points(false, true)
  bounds:
    seq:
      - {id: x_min, type: f8}
      - {id: y_min, type: f8}
      - {id: x_max, type: f8}
      - {id: y_max, type: f8}
    instances:
      width: {value: x_max - x_min}
      height: {value: y_max - y_min}
  range:
    seq:
      - {id: min, type: f8}
      - {id: max, type: f8}
  point:
    seq:
      - {id: x, type: f8}
      - {id: y, type: f8}
  point_m:
    seq:
      - {id: place, type: point}
      - {id: m, type: f8}
  point_z:
    seq:
      - {id: place, type: point}
      - {id: z, type: f8}
      - {id: m, type: f8}
  points:
    seq:
      - {id: bounds, type: bounds}
      - {id: points_count, type: u4}
      - {id: points, type: point, repeat: expr, repeat-expr: points_count}
  parts_and_points:
    params:
      - {id: has_z, type: bool}
      - {id: has_m, type: bool}
    seq:
      - {id: bounds, type: bounds}
      - {id: parts_count, type: u4}
      - {id: points_count, type: u4}
      - {id: first_points, type: u4, repeat: expr, repeat-expr: parts_count}
      - {id: points, type: point, repeat: expr, repeat-expr: points_count}
      - {id: z, type: measures(points_count), if: has_z}
      - {id: m, type: measures(points_count), if: has_m and not _io.eof}
    instances:
      is_closed:
        value: 'points.first.x == points.last.x and points.first.y == points.last.y'
        if: points_count > 0 and parts_count == 1
  measures:
    params:
      - {id: count, type: u4}
    seq:
      - {id: range, type: range}
      - {id: values, type: f8, repeat: expr, repeat-expr: count}
enums:
  kind:
    0: none
    1: point
    3: polyline
    5: polygon
    8: multipoint
    11: point_z
    13: polyline_z
    15: polygon_z
    18: multipoint_z
    21: point_m
    23: polyline_m
    25: polygon_m
    28: multipoint_m
