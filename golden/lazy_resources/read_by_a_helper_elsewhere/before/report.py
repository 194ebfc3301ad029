def head(dataset):
    """The first value."""
    return dataset.connection.execute("SELECT x FROM t").fetchone()[0]
