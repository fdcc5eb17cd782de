"""Exactness: what changed between two runs' artifacts, told where it began."""

import polars as pl
import pytest

from tasks.gate.changes import Change, in_words
from tasks.gate.exact import Exactness, compare_artifacts
from tasks.gate.expectations import load_expectations
from tasks.reporting.schemas import ARTIFACTS
from tests.unit.gate.nights import Recipes, ingredients

RULE = load_expectations().exact
Rows = list[tuple[str, str, str]]
METRICS = "measures/query_metrics"


def table(rows: Rows) -> pl.DataFrame:
    filled = [(*step.split("/"), key, digest, 1, 1) for step, key, digest in rows]
    return pl.DataFrame(filled, schema=ARTIFACTS.schema, orient="row")


def chain(*, tokens: str = "t0", code: str = "c0", name: str = "regex", stage: str = "") -> tuple[Rows, Recipes]:
    """Corpus, tokens, BM25, two rankings and metrics; `stage` is put to every digest that follows from the tokens."""
    rows: Rows = [
        ("corpora/locomo", "corpus", "d-corpus"),
        ("text/tokens", tokens, f"d-tokens{stage}"),
        ("indexes/bm25", f"bm25{stage}", f"d-bm25{stage}"),
        ("embeddings/vectors", "vectors", "d-vectors"),
        ("candidates/bm25", f"r1{stage}", f"d-r1{stage}"),
        ("candidates/dense", "r2", "d-r2"),
        (METRICS, f"m{stage}", f"d-m{stage}"),
    ]
    recipes = {
        "corpus": ingredients("corpora/locomo"),
        tokens: ingredients("text/tokens", code=code, params={"params": {"name": name}}, inputs={"corpus": "d-corpus"}),
        f"bm25{stage}": ingredients("indexes/bm25", code=code, inputs={"tokens": f"d-tokens{stage}"}),
        "vectors": ingredients("embeddings/vectors", inputs={"corpus": "d-corpus"}),
        f"r1{stage}": ingredients("candidates/bm25", inputs={"bm25": f"d-bm25{stage}"}),
        "r2": ingredients("candidates/dense", inputs={"vectors": "d-vectors"}),
        f"m{stage}": ingredients(
            METRICS,
            params={"protocol": "conversation-turn"},
            inputs={"corpus": "d-corpus", "rankings[bm25]": f"d-r1{stage}", "rankings[dense]": "d-r2"},
        ),
    }
    return rows, recipes


def compare(
    before: tuple[Rows, Recipes], after: tuple[Rows, Recipes], reasons: dict[str, str] | None = None
) -> Exactness:
    return compare_artifacts(table(before[0]), table(after[0]), RULE, {**before[1], **after[1]}, reasons or {})


def test_equal_artifacts_are_identical() -> None:
    found = compare(chain(), chain())
    assert found.is_identical
    assert (found.n, found.n_same, found.changes, found.unequal) == (7, 7, (), ())


def test_a_parameter_is_told_with_both_values_and_only_of_what_descends_from_it() -> None:
    found = compare(chain(), chain(tokens="t1", name="split", stage="'"))
    told = Change("text/tokens", "param", "name", "'regex'", "'split'")
    assert found.changes == found.causes("conversation-turn", "bm25") == (told,)
    assert str(told) == "name of text/tokens changed from 'regex' to 'split'"
    assert (found.n, found.n_same) == (7, 3)


def test_code_is_told_where_it_began_although_later_stages_share_it() -> None:
    found = compare(chain(), chain(tokens="t1", code="c1", stage="'"))
    assert in_words(found.changes) == "the code of text/tokens changed"


def test_the_cause_of_one_variant_is_not_that_of_another() -> None:
    rows, recipes = chain(tokens="t1", code="c1", stage="'")
    rows[3] = ("embeddings/vectors", "vectors'", "d-vectors'")
    rows[5] = ("candidates/dense", "r2'", "d-r2'")
    recipes["vectors'"] = ingredients("embeddings/vectors", libraries={"numpy": "2.5.0"}, inputs={"corpus": "d-corpus"})
    recipes["r2'"] = ingredients("candidates/dense", inputs={"vectors": "d-vectors'"})
    recipes["m'"]["inputs"]["rankings[dense]"] = "d-r2'"
    found = compare(chain(), (rows, recipes))
    assert in_words(found.causes("conversation-turn", "bm25")) == "the code of text/tokens changed"
    assert in_words(found.causes("conversation-turn", "dense")) == (
        "library numpy of embeddings/vectors changed from 2.4.6 to 2.5.0"
    )
    assert len(found.causes("conversation-session", "dense")) == 2  # lineage unknown: all


def test_made_anew_with_equal_content_is_no_change() -> None:
    rows, recipes = chain(tokens="t1", code="c1")
    found = compare(chain(), (rows, recipes))
    assert found.changes == ()
    assert not found.is_identical


def test_an_input_from_outside_is_told() -> None:
    rows, recipes = chain(tokens="t1", stage="'")
    recipes["t1"] = ingredients(
        "text/tokens", params={"params": {"name": "regex"}}, code="c0", inputs={"corpus": "else"}
    )
    assert in_words(compare(chain(), (rows, recipes)).changes) == (
        "input corpus of text/tokens changed from d-corpus to else"
    )


@pytest.mark.parametrize(("step", "is_fault"), [("indexes/bm25", True), ("embeddings/vectors", False)])
def test_other_bytes_for_one_key_are_a_fault_of_deterministic_stages(step: str, is_fault: bool) -> None:
    rows, recipes = chain()
    rows = [(name, key, "other" if name == step else digest) for name, key, digest in rows]
    found = compare(chain(), (rows, recipes))
    assert found.unequal == ((step,) if is_fault else ())
    assert in_words(found.changes) == f"{step} gave other bytes for the same ingredients"


def test_parameters_of_what_is_measured_are_options() -> None:
    rows, recipes = chain(stage="")
    rows[0] = ("corpora/locomo", "corpus'", "d-corpus'")
    recipes["corpus'"] = ingredients("corpora/locomo", params={"params": {"evidence": "strict"}})
    (option,) = compare(chain(), (rows, recipes)).options
    assert str(option) == "evidence of corpora/locomo changed from None to 'strict'"


def test_another_protocol_and_another_variant_are_no_change_of_the_old_ones() -> None:
    rows, recipes = chain()
    rows += [(METRICS, "m2", "d-m2"), ("candidates/bm25", "r3", "d-r3")]
    recipes["m2"] = ingredients(METRICS, params={"protocol": "conversation-session"})
    recipes["r3"] = ingredients("candidates/bm25", params={"k": 5}, inputs={"bm25": "d-bm25"})
    found = compare(chain(), (rows, recipes))
    assert found.changes == found.options == ()


def test_without_the_store_the_run_says_what_it_knew() -> None:
    rows, _ = chain(tokens="t1", stage="'")
    reasons = {"t1": "changed: code", "bm25'": "changed: inputs tokens", "m'": "cached"}
    found = compare_artifacts(table(chain()[0]), table(rows), RULE, {}, reasons)
    assert in_words(found.changes) == "text/tokens changed (changed: code)"
    assert found.n_unknown == 4
    silent = compare_artifacts(table(chain()[0]), table(rows), RULE, {}, {})
    assert "its recipe is no longer in the store" in in_words(silent.changes)


def test_a_step_that_the_accepted_run_did_not_have_is_new() -> None:
    rows, recipes = chain()
    rows.append(("text/stems", "s", "d-s"))
    recipes["s"] = ingredients("text/stems")
    assert in_words(compare(chain(), (rows, recipes)).changes) == "text/stems is new"


def test_a_shard_less_is_told_of_what_cuts_the_shards() -> None:
    (before, recipes), (after, others) = chain(), chain(tokens="t1", code="c1", stage="'")
    before = [*before, ("reranking/logits", "l1", "d-l1")]
    recipes["r1"]["inputs"]["logit_shards[1]"] = "d-l1"
    recipes["l1"] = ingredients("reranking/logits", params={"shard_index": 1})
    assert in_words(compare((before, recipes), (after, others)).changes) == "the code of text/tokens changed"


def test_long_lists_are_cut() -> None:
    changes = tuple(Change(f"text/{name}", "code") for name in "abcdef")
    assert in_words(changes).endswith(", and 2 more changed")
