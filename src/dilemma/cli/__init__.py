"""The command line: one file a subcommand, errors turned into exit codes in `dilemma.cli.main`."""
