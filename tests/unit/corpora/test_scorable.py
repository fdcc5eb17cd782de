"""A corpus that cannot be scored is refused before the expensive stages."""

from pathlib import Path

import pytest

from tasks.corpora.scorable import check_scorable
from tasks.corpora.tables import Corpus, CorpusWriter
from tasks.records import BenchError, Block, Defect, Document, Judgement, Query


def corpus(out: Path, *, block: Block, is_judged: bool) -> Corpus:
    with CorpusWriter(out, "handmade") as writer:
        writer.add_document(Document("d0", "a text"))
        writer.add_query(Query("q0", "a question?", "any", block))
        if is_judged:
            writer.add_turn_judgement(Judgement("q0", "d0", 1))
        else:
            writer.add_defect(Defect("q0", "no_evidence", "excluded", "", ("q0",)))
    return Corpus.read(out, with_texts=False)


def test_one_judged_question_is_enough(tmp_path: Path) -> None:
    scorable = corpus(tmp_path, block=Block.MAIN, is_judged=True)
    check_scorable(scorable)
    assert scorable.judgements_turn.height == 1


@pytest.mark.parametrize(
    ("block", "is_judged", "said"),
    [
        (Block.MAIN, False, r"1 questions \(1 in block main\).*Faults met: no_evidence \(1\)"),
        (Block.ADVERSARIAL, True, r"1 in block adversarial.*no question of block main"),
    ],
)
def test_nothing_to_score_is_said(tmp_path: Path, block: Block, is_judged: bool, said: str) -> None:
    with pytest.raises(BenchError, match=said):
        check_scorable(corpus(tmp_path, block=block, is_judged=is_judged))
