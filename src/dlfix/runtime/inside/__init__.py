"""What runs in the user's interpreter: the standard library only, Python 3.8 and later.

`probe.py` sends the texts of these modules over on the command line, with the path of a JSON file that says what
to run. They run the program as `__main__`, stop it where worker processes would start, pickle what would
cross to them, and write what they saw as JSON lines to a file of their own. They handle objects of any kind,
so that types say little of them. They import one another by relative names: in the user's interpreter there may be another
dlfix, or none.
"""
