"""Kinds of questions that several stages look at, beside the blocks of `tasks.records.Block`."""

ALL_BLOCKS = "all"
"""The block of every question, whatever its own block: LoCoMo's second total."""
KNOWLEDGE_UPDATE = "knowledge-update"
"""The question type of what changed: LongMemEval's name."""
