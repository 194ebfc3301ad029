"""Plans, conflicts, applying until stable, and the proof after rewriting."""
