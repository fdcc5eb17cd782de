"""Profiles and overrides: what is accepted, and what is said of everything else."""

import pytest

from flows.run_config import RunConfig, command_of, load_config
from flows.searches import measures_of, protocols_of, report_of, searches_of
from flows.settings import profile_names
from tasks.corpora.protocols import parse_protocol
from tasks.records import BenchError


@pytest.mark.parametrize("profile", profile_names())
def test_every_committed_profile_loads(profile: str) -> None:
    config = load_config(profile)
    assert config.profile == profile
    assert RunConfig.model_validate(config.model_dump(exclude_unset=True)) == config


def test_profiles_are_those_of_the_issue() -> None:
    assert profile_names() == ["locomo", "longmemeval", "nfcorpus", "sample"]


def test_overrides_reach_their_place_as_toml_values() -> None:
    settings = ["candidates.k=7", "tokenizer.name=split", "candidates.fill_zero_scores=true", "bm25.b=0.5"]
    config = load_config("nfcorpus", settings)
    assert (config.candidates.k, config.tokenizer.name) == (7, "split")
    assert config.candidates.fill_zero_scores is True
    assert config.bm25.b == 0.5


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["candidates.depth=7"], "unknown key candidates.depth; valid here: bm25_weight, combine, fill_zero_scores"),
        (["candidate.k=7"], "unknown key candidate; valid here: behaviour, bm25, bm25_grid, candidates"),
        (["candidates.k=many"], "candidates.k = 'many'"),
        (["candidates.k=0"], "candidates.k = 0"),
        (["candidates.k"], "is not key=value"),
        (["protocol.x=1"], "protocol is a value, not a table"),
        (["protocol=haystack"], "unknown protocol 'haystack'; expected one of: pooled-document"),
        (["protocol=pooled-turn"], "protocol pooled-turn does not fit nfcorpus; expected one of pooled-document"),
        (['other_protocols=["pooled-document"]'], "a protocol is there twice: pooled-document, pooled-document"),
        (['other_protocols=["pooled-document(qrels=patched)"]'], "no qrels_overlay is given"),
        (["tokenizer.name=words"], "words"),
        (['variants=["bm52"]'], "unknown variant 'bm52'"),
        (['variants=["bm25"]'], "the baseline hybrid-rerank is not among the variants"),
        (['measures.names=["nDGC@10"]'], "nDGC@10"),
        (["locomo.evidence=strict"], "options of locomo given, but the dataset is nfcorpus"),
        (['variants=["hybrid-rerank", "bm25(tokenizer=words)"]'], "unknown tokenizer; choose one of: split, regex"),
        (
            ['variants=["hybrid-rerank", "dense(encoder=e5)"]'],
            "the encoder of a variant = 'e5'; expected a bi-encoder of",
        ),
        (
            ['variants=["hybrid-rerank", "dense(encoder=answerai-colbert-small-int8)"]'],
            "dense(encoder=answerai-colbert-small-int8): its encoder gives a vector for each word piece",
        ),
        (
            ['other_protocols=["conversation-session"]', 'other_searches.variants=["bm25", "session(pool=top0)"]'],
            "pool=top0",
        ),
        (
            [
                'other_protocols=["conversation-session"]',
                'other_searches.variants=["bm25", "session(pool=mean,encoder=answerai-colbert-small-int8)"]',
            ],
            "gives a vector for each word piece",
        ),
        (['variants=["hybrid-rerank", "session(pool=max)"]'], "does not rank sessions; leave out session(pool=max)"),
        (["protocol=conversation-session(evidence=strict)"], "evidence=strict is a rule for the evidence strings"),
        (['variants=["hybrid-rerank", "rif(rule=gap,clusters=3,pool=20)"]'], "reranks 20 candidates and the baseline"),
        (
            ['searches={"pooled-turn" = {baseline = "bm25"}}'],
            "searches of pooled-turn: no protocol of the run has such",
        ),
        (
            [
                'other_protocols=["pooled-document(sample=9)"]',
                "other_searches={variants=['bm25','rif(rule=gap,clusters=1)']}",
            ],
            "protocol pooled-document(sample=9) asks a sample",
        ),
        (
            ["significance.families=[{name='a', baseline='hybrid-rerank', variants=['bm25(k1=9)']}]"],
            "families compare bm25(k1=9), which is not among the variants",
        ),
        (['variants=["hybrid-rerank", "bm25", "bm25()"]'], "a variant is there twice"),
        (["stream.steps=-1"], "stream.steps = -1"),
    ],
)
def test_a_wrong_setting_is_said_with_what_is_valid(settings: list[str], said: str) -> None:
    with pytest.raises(BenchError) as caught:
        load_config("nfcorpus", settings)
    assert said in str(caught.value)


def test_all_wrong_settings_are_said_at_once() -> None:
    with pytest.raises(BenchError) as caught:
        load_config("sample", ["candidates.k=0", "bm25.k2=1", "stream.hot_share=2"])
    assert all(name in str(caught.value) for name in ("candidates.k", "bm25.k2", "stream.hot_share"))


def test_an_unknown_profile_lists_the_valid_ones() -> None:
    with pytest.raises(BenchError, match="unknown profile 'smaple'; there are: locomo, longmemeval, nfcorpus, sample"):
        load_config("smaple")


def test_a_first_stage_that_is_not_the_default_is_in_the_names() -> None:
    config = load_config("nfcorpus", ["tokenizer.name=split", "bm25.variant=okapi-floor"])
    names = [str(variant) for variant in searches_of(config)[0].variants]
    assert names[:3] == [
        "bm25(tokenizer=split,idf=okapi-floor)",
        "dense",
        "hybrid-rrf(tokenizer=split,idf=okapi-floor)",
    ]
    assert searches_of(config)[0].baseline == "hybrid-rerank(tokenizer=split,idf=okapi-floor)"


def test_clusters_are_those_of_the_variants() -> None:
    variants = ["hybrid-rerank", "rif(rule=gap,clusters=7)"]
    config = load_config("sample", [f"variants={variants!r}"])
    assert 7 in config.cluster_params.counts


def test_the_command_repeats_the_run() -> None:
    command = command_of("locomo", ["candidates.k=7", "tokenizer.name='split'"], None, None)
    assert command == "mnemobench run --profile locomo --set candidates.k=7 --set 'tokenizer.name='\"'\"'split'\"'\"''"


def test_protocols_with_one_search_share_it_and_the_first_is_drawn() -> None:
    config = load_config("longmemeval")
    searches = {
        str(search.protocol): [str(p) for p in protocols_of(config) if p.search == search.protocol]
        for search in searches_of(config)
    }
    assert list(searches) == [
        "pooled-turn",
        "haystack-turn",
        "haystack-turn(roles=user)",
        "haystack-session",
        "longmemeval-official-turn",
        "longmemeval-official-session",
    ]
    assert searches["pooled-turn"] == [
        "pooled-turn",
        "pooled-turn(twins=collapsed)",
        "pooled-turn(relevance=study-a)",
        "pooled-turn(level=session)",
    ]
    assert [report_of(config, protocol).is_drawn for protocol in protocols_of(config)][:3] == [True, False, False]


def test_only_the_main_search_reranks_and_keeps_state() -> None:
    main, *others = searches_of(load_config("longmemeval"))
    assert [(lists.needs_logits, lists.needs_stream) for lists in main.lists] == [(True, True)]
    assert not any(lists.needs_logits or lists.needs_stream for search in others for lists in search.lists)


def test_the_official_evaluation_looks_at_fifty_ranks() -> None:
    config = load_config("longmemeval")
    official = next(search for search in searches_of(config) if search.protocol.is_official)
    assert [lists.candidates.k for lists in official.lists] == [50]
    assert official.replay.depth == 50
    assert "R_all@50" in measures_of(config, parse_protocol("longmemeval-official-turn")).names
    assert searches_of(config)[0].lists[0].candidates.k == 30


def test_variants_are_grouped_by_what_makes_their_lists() -> None:
    variants = ["hybrid-rerank", "bm25", "bm25(tokenizer=split)", "dense", "hybrid-rrf(tokenizer=split)", "bm25(k1=9)"]
    (search,) = searches_of(load_config("nfcorpus", [f"variants={variants!r}", "candidates.k=7"]))
    grouped = {(lists.stage.tokenizer, lists.stage.k1): [v.name for v in lists.variants] for lists in search.lists}
    assert grouped == {
        ("regex", 1.5): ["hybrid-rerank", "bm25", "dense"],
        ("split", 1.5): ["bm25", "hybrid-rrf"],
        ("regex", 9.0): ["bm25"],
    }
    assert {lists.candidates.k for lists in search.lists} == {7}
    assert search.baseline == "hybrid-rerank(k=7)"


def test_a_variant_overrides_the_runs_first_stage() -> None:
    settings = ["tokenizer.name=split", 'variants=["hybrid-rerank", "bm25(tokenizer=regex)", "bm25"]']
    (search,) = searches_of(load_config("nfcorpus", settings))
    assert [lists.stage.tokenizer for lists in search.lists] == ["split", "regex"]
    assert {str(variant) for variant in search.variants} == {
        "hybrid-rerank(tokenizer=split)",
        "bm25",
        "bm25(tokenizer=split)",
    }


def test_the_two_passes_of_adaptive_depth_rerank_all_of_their_cut() -> None:
    variants = ["hybrid-rerank", "adaptive-rerank(k_deep=60)"]
    (search,) = searches_of(load_config("nfcorpus", [f"variants={variants!r}"]))
    (lists,) = search.lists
    assert [str(variant) for variant in lists.adaptive] == ["adaptive-rerank(k_deep=60)"]
    deep, variant = lists.reranked(60)
    assert (deep.candidates.k, variant.pool, str(variant)) == (60, 60, "hybrid-rerank(pool=60,k=60)")


def test_an_overlay_adds_the_patched_main_protocol() -> None:
    config = load_config("locomo", ["qrels_overlay=overlay.jsonl"])
    assert str(protocols_of(config)[-1]) == "conversation-turn(qrels=patched)"
    assert len(searches_of(config)) == 2


def test_suppression_needs_a_history_that_questions_share() -> None:
    with pytest.raises(BenchError, match="gives every question a history of its own") as caught:
        load_config("longmemeval", ["protocol=haystack-turn", "other_protocols=[]"])
    assert "rif(rule=gap,clusters=30)" in str(caught.value)
