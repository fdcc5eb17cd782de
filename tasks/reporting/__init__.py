"""Tables, figures, Markdown and the results warehouse."""
