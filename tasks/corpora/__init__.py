"""Turn a raw dataset file into normalised Parquet tables, with a ledger of the faults met."""
