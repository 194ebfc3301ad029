"""Facts: one file reduced to plain data, and what is derived from it.

`build.facts_of` reads a file once and drops the syntax tree; `model.FileFacts` is what remains.
`names`, `sites`, `cfg` and `flow` answer questions about it, `store` keeps it on disk, `index`
joins the files of a project. Nothing here imports from the layers above `source`.
"""
