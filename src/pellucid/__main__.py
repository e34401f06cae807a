"""`python -m pellucid` is `pellucid`."""

from pellucid.cli import main

raise SystemExit(main())
