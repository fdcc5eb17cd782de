"""What kind of error the top-1 is, and what suppression did."""
