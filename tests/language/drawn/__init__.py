"""Declarations that are made at random, read by kformat and by the classes that Kaitai's compiler makes of them.

    making    one seed and one number -> a declaration, the same on every machine
    judging   the declarations' inputs, and everything that the two sides are asked about them

In every place where an expression may stand, expressions ask what changes while bytes are read: the position, end and
size of the stream, of the root's, of the parent's and of parts, and lists that are not read to their end.
"""
