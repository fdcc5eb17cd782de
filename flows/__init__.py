"""Wiring only: one file per deployable flow, the configuration and the command line."""
