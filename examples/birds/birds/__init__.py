"""Telling bird calls apart: a small training project."""
