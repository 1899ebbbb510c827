"""Storage: bytes on disk and elsewhere. Nothing here knows a declaration, or what the bytes mean.

plain_file     open files without following links
atomic_write   write next to a file, sync, rename, sync the folder
root_lock      who may write below a folder: one process, one owner in it
"""
