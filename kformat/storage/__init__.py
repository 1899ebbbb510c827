"""The cellar: bytes, wherever they lie. Nothing in here knows a declaration, or what the bytes mean.

plain_file     files opened as what they are: no link is followed
atomic_write   write next to a file, sync, rename, sync the folder
root_lock      who may write below a folder: one process, one owner in it
"""
