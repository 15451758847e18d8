"""bpetite beside tiktoken.

The commands of this package join the command line through the entry points of the group
`bpetite.commands`. There are none yet.
"""
