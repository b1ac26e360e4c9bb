"""Storing runs as they happen, and reading them back."""

from .reader import Record, find_record, list_records, read_record
from .writer import RecordWriter

__all__ = ["Record", "RecordWriter", "find_record", "list_records", "read_record"]
