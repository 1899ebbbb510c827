meta:
  id: java_class
  title: A class file of the Java virtual machine
  license: Apache-2.0
  endian: be
  encoding: UTF-8
doc-ref: The Java Virtual Machine Specification, chapter 4
seq:
  - {id: magic, contents: [0xca, 0xfe, 0xba, 0xbe]}
  - {id: minor_version, type: u2}
  - {id: major_version, type: u2, valid: {min: 43}}
  - {id: constants_end, type: u2}
  - id: constants
    type: 'constant(_index > 0 and constants[_index - 1].takes_two)'
    repeat: expr
    repeat-expr: constants_end - 1
  - {id: access, type: access}
  - {id: this_class, type: u2}
  - {id: super_class, type: u2}
  - {id: interfaces_count, type: u2}
  - {id: interfaces, type: u2, repeat: expr, repeat-expr: interfaces_count}
  - {id: fields_count, type: u2}
  - {id: fields, type: member, repeat: expr, repeat-expr: fields_count}
  - {id: methods_count, type: u2}
  - {id: methods, type: member, repeat: expr, repeat-expr: methods_count}
  - {id: attributes_count, type: u2}
  - {id: attributes, type: attribute, repeat: expr, repeat-expr: attributes_count}
instances:
  name: {value: 'constants[constants[this_class - 1].body.as<reference>.index - 1].body.as<text>.text'}
types:
  access:
    seq:
      - {id: is_module, type: b1}
      - {id: is_enum, type: b1}
      - {id: is_annotation, type: b1}
      - {id: is_synthetic, type: b1}
      - {id: is_strict, type: b1}
      - {id: is_abstract, type: b1}
      - {id: is_interface, type: b1}
      - {id: is_native, type: b1}
      - {id: is_transient, type: b1}
      - {id: is_volatile_or_bridge, type: b1}
      - {id: is_super_or_synchronized, type: b1}
      - {id: is_final, type: b1}
      - {id: is_static, type: b1}
      - {id: is_protected, type: b1}
      - {id: is_private, type: b1}
      - {id: is_public, type: b1}
  constant:
    params: [{id: is_second_half, type: bool}]
    seq:
      - {id: tag, type: u1, enum: tags, if: not is_second_half}
      - id: body
        if: not is_second_half
        type:
          switch-on: tag
          cases:
            'tags::text': text
            'tags::integer': s4
            'tags::float': f4
            'tags::long': s8
            'tags::double': f8
            'tags::class_of': reference
            'tags::string': reference
            'tags::method_type': reference
            'tags::module': reference
            'tags::package': reference
            'tags::field': pair
            'tags::method': pair
            'tags::interface_method': pair
            'tags::name_and_type': pair
            'tags::dynamic': pair
            'tags::invoke_dynamic': pair
            'tags::method_handle': method_handle
    instances:
      takes_two: {value: 'is_second_half ? false : tag == tags::long or tag == tags::double'}
  text:
    seq:
      - {id: size, type: u2}
      - {id: text, type: str, size: size}
  reference: {seq: [{id: index, type: u2}]}
  pair:
    seq:
      - {id: first, type: u2}
      - {id: second, type: u2}
  method_handle:
    seq:
      - {id: kind, type: u1, enum: handles}
      - {id: index, type: u2}
  member:
    seq:
      - {id: access, type: access}
      - {id: name_index, type: u2}
      - {id: descriptor_index, type: u2}
      - {id: attributes_count, type: u2}
      - {id: attributes, type: attribute, repeat: expr, repeat-expr: attributes_count}
    instances:
      name: {value: '_root.constants[name_index - 1].body.as<text>.text'}
      descriptor: {value: '_root.constants[descriptor_index - 1].body.as<text>.text'}
  attribute:
    seq:
      - {id: name_index, type: u2}
      - {id: size, type: u4}
      - id: body
        size: size
        type:
          switch-on: name
          cases:
            '"Code"': code
            '"ConstantValue"': reference
            '"SourceFile"': reference
            '"Signature"': reference
            '"NestHost"': reference
            '"Exceptions"': indexes
            '"NestMembers"': indexes
            '"LineNumberTable"': lines
            '"BootstrapMethods"': bootstraps
            '"InnerClasses"': inner_classes
    instances:
      name: {value: '_root.constants[name_index - 1].body.as<text>.text'}
  code:
    seq:
      - {id: stack_size, type: u2}
      - {id: locals_count, type: u2}
      - {id: code_size, type: u4}
      - {id: code, size: code_size}
      - {id: handlers_count, type: u2}
      - {id: handlers, type: handler, repeat: expr, repeat-expr: handlers_count}
      - {id: attributes_count, type: u2}
      - {id: attributes, type: attribute, repeat: expr, repeat-expr: attributes_count}
  handler:
    seq:
      - {id: start, type: u2}
      - {id: end, type: u2}
      - {id: position, type: u2}
      - {id: caught, type: u2}
  indexes:
    seq:
      - {id: count, type: u2}
      - {id: indexes, type: u2, repeat: expr, repeat-expr: count}
  lines:
    seq:
      - {id: count, type: u2}
      - {id: lines, type: line, repeat: expr, repeat-expr: count}
  line:
    seq:
      - {id: position, type: u2}
      - {id: number, type: u2}
  bootstraps:
    seq:
      - {id: count, type: u2}
      - {id: methods, type: bootstrap, repeat: expr, repeat-expr: count}
  bootstrap:
    seq:
      - {id: handle, type: u2}
      - {id: arguments, type: indexes}
  inner_classes:
    seq:
      - {id: count, type: u2}
      - {id: classes, type: inner_class, repeat: expr, repeat-expr: count}
  inner_class:
    seq:
      - {id: inner, type: u2}
      - {id: outer, type: u2}
      - {id: name_index, type: u2}
      - {id: access, type: access}
enums:
  tags:
    1: text
    3: integer
    4: float
    5: long
    6: double
    7: class_of
    8: string
    9: field
    10: method
    11: interface_method
    12: name_and_type
    15: method_handle
    16: method_type
    17: dynamic
    18: invoke_dynamic
    19: module
    20: package
  handles: {1: get_field, 2: get_static, 3: put_field, 4: put_static, 5: virtual, 6: static, 7: special, 8: new, 9: interface}
