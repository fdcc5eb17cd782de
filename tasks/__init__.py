"""The library: pure modules by stage, and one file per stage that ties it to Prefect."""
