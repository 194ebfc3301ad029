def total(handle):
    found = 0
    for at in range(6):
        found += int(handle["values"][at])
    return found
