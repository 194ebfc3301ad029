"""Plans for classes that keep what cannot cross to a worker.

What one method opens moves into bodies of its own, step by step, each step knowing those before it:

    origins <- settings <- keeping <- branching <- bodies <- leaving <- moving

What becomes of the class is planned likewise, with `moving`, `filling` (loops that fill lists),
`counting` (lengths) and `releasing` (closing in the parent) at hand:

    uses <- refusing <- together <- forms <- clearing <- opening

`each_time` writes what stays of a loop that fills a list or dict: it keeps what each is opened from, and
reads each from a local one. `residue` writes what stays in the constructor: what it computes from
handles, it computes from local ones that it opens and closes. `scoped` makes local variables of resources
that only the constructor uses.

`inputs` is the gate that everything an opening reads goes through: read again later, kept as a value,
or refused. `observed` knows what callers see of an instance, `protocol` how a class that opens lazily
knows that it is open, and `reopening` the forms that leave the constructor as it is: held by process, or
opened again when the state is set. Where none of these idioms fits, `selection` and `slicing` take the backward slice of
the constructor that opens the handles, and `sliced` makes it a method that each other process calls.

`restoring` plans what leaves the state and is made anew, `passing` what the caller opens, `shared`
what a class keeps for all its instances; `family` tells them of the code around the class.
"""
