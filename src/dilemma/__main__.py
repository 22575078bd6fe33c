"""``python -m dilemma``: the command line."""

from dilemma.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
