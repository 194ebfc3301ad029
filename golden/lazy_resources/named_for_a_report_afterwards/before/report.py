def table(datasets):
    """Return name and length of each, a line each."""
    width = max(len(dataset.name) for dataset in datasets)
    lines = []
    for dataset in datasets:
        lines.append(f"{dataset.name:<{width}} {len(dataset)}")
    return "\n".join(lines)
