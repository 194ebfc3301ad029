"""Bytes on disk and text: discovery, encodings, newlines, atomic writing."""
