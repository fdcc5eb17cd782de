"""Texts and tokens as cached steps."""

from pathlib import Path

from tasks.artifacts import Artifact
from tasks.prefect_cache import step
from tasks.progress import Progress
from tasks.text import build_session_texts, build_texts, build_tokens
from tasks.text.documents import TextParams
from tasks.text.tokenizers import TokenizerParams


@step(stage="text", module=build_texts, libraries=("polars",))
def texts(out: Path, progress: Progress, *, corpus: Artifact, params: TextParams) -> None:
    """Write the text of every document and query as a retriever sees it."""
    build_texts.build(corpus.path, params, out, progress)


@step(stage="text", module=build_session_texts, libraries=("polars",))
def session_texts(out: Path, progress: Progress, *, texts: Artifact, corpus: Artifact) -> None:
    """Join the texts of turns to the texts of their sessions: a text artifact whose documents are the sessions."""
    build_session_texts.build(texts.path, corpus.path, out, progress)


@step(stage="text", module=build_tokens, libraries=("nltk", "polars"))
def tokens(out: Path, progress: Progress, *, texts: Artifact, params: TokenizerParams) -> None:
    """Tokenise every text."""
    build_tokens.build(texts.path, params, out, progress)
