"""Types as static checkers mean them: where a float is expected, a whole number will do."""

from beartype import BeartypeConf, beartype

check = beartype(conf=BeartypeConf(is_pep484_tower=True))
