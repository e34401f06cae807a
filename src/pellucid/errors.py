"""What went wrong, in one sentence: what came, what was expected, what to do."""


class PellucidError(Exception):
    """A problem that a person can mend; its text is one clear sentence."""

    status = 1


class UsageError(PellucidError):
    """The request itself makes no sense (status 2 on the command line)."""

    status = 2
