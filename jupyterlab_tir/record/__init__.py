"""Storing runs as they happen, reading them back, and voting again over what they hold."""

from .reader import Record, find_record, list_records, locate_record, read_record
from .revoting import Revote, revote
from .writer import HeldRecord, RecordWriter

__all__ = [
    "HeldRecord",
    "Record",
    "RecordWriter",
    "Revote",
    "find_record",
    "list_records",
    "locate_record",
    "read_record",
    "revote",
]
