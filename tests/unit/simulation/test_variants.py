import pytest

from tasks.records import BenchError
from tasks.simulation.suppression import RifParams, Rule, RuleSet
from tasks.simulation.variants import OF_SESSIONS, STATELESS, Variant, label, parse

STRINGS = [
    *(name for name in STATELESS if name not in ("adaptive-rerank", *OF_SESSIONS)),
    "session(pool=mean,encoder=bge-small-en-int8,ties=earliest)",
    "session(pool=lse2.5)",
    "session(pool=text)",
    "fusion(pool=max,tokenizer=word3+stop,idf=bm25l,k1=1.2,b=0.2,ties=earliest)",
    "fusion(pool=top3,combine=minmax,alpha=0.6)",
    "fusion(pool=max,combine=adaptive)",
    "fusion-rerank(pool=max,alpha=0.6,top=5,rrf_k=20)",
    "hybrid-fusion(bm25_weight=0.4)",
    "hybrid-rerank(combine=z,bm25_weight=0.4)",
    "rif(rule=gap,clusters=30,combine=z)",
    "rif(rule=uniform,clusters=1)",
    "rif(rule=gap,clusters=30)",
    "rif(rule=gap,clusters=30,rule_set=paper,alpha=0.5,eta=0.2,rho=0.0,lambda=0.001,s_max=2.0,pool=60,winners=5)",
    "rif(rule=uniform,clusters=1,rule_set=paper-literal)",
    "rif(rule=uniform,clusters=1,alpha=1e-05)",
    "rif(rule=uniform,clusters=1,alpha=0.1,tokenizer=split,idf=okapi-floor,encoder=bge-small)",
    "bm25(tokenizer=regex+stop+porter,idf=okapi-floor,k1=0.9,b=0.4)",
    "dense(encoder=e5-base-v2)",
    "hybrid-rerank(pool=all)",
    "dense-rerank(pool=5,k=80)",
    "adaptive-rerank(k_deep=100)",
    "adaptive-rerank(k_deep=60,threshold=3.5,tokenizer=split,ties=released-bm25-first,fill=true)",
    "rif(rule=gap,clusters=30,source=buffer,burn_in=300,steps=3000,decay=read,rank_origin=0)",
    "hybrid-rrf(k=10,rrf_k=20,ties=trec_eval,tie_seed=3)",
]


@pytest.mark.parametrize("text", STRINGS)
def test_canonical_string_parses_back(text: str) -> None:
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" rif( clusters=30 , rule=gap ) ", "rif(rule=gap,clusters=30)"),
        ("rif(rule=gap,clusters=0)", "rif(rule=gap,clusters=1)"),
        ("rif(rule=gap,clusters=30,alpha=0.30,lambda=0.005)", "rif(rule=gap,clusters=30)"),
        ("rif(winners=3,alpha=1,rule=gap,clusters=2)", "rif(rule=gap,clusters=2,alpha=1.0,winners=3)"),
        ("bm25()", "bm25"),
    ],
)
def test_other_spellings_mean_the_same(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


def test_defaults_are_those_of_study_a() -> None:
    rif = parse("rif(rule=uniform,clusters=1)").rif
    assert rif == RifParams(
        rule=Rule.UNIFORM,
        clusters=1,
        rule_set=RuleSet.RELEASED,
        alpha=0.3,
        eta=0.1,
        rho=0.05,
        lambda_=0.005,
        s_max=1.0,
        pool=30,
        winners=10,
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "bm26",
            r"unknown variant 'bm26'; expected one of adaptive-rerank, bm25, dense, dense-rerank, hybrid-fusion, "
            r"hybrid-rerank, hybrid-rrf, session\(pool=mean\|max\|top<k>\|lse<beta>\|text\), fusion\(",
        ),
        ("", "unknown variant ''"),
        ("rif(rule=gap,clusters=30", "unknown variant"),
        ("dense(k1=3)", "'k1=3'; expected name=value, each once, with a name of encoder, k, ties, tie_seed"),
        ("dense(tokenizer=split)", "with a name of encoder"),
        ("bm25(tokenizer=words)", "tokenizer=words: .*unknown tokenizer; choose one of: split, regex"),
        ("adaptive-rerank", r"no k_deep; write e.g. adaptive-rerank\(k_deep=100\)"),
        ("hybrid-rerank(pool=most)", "pool=most"),
        ("hybrid-rerank(pool=0)", "pool=0"),
        ("rif(rule=gap,clusters=3,fill=maybe)", "fill=maybe"),
        ("bm25(idf=robertson)", "idf=robertson: Input should be 'lucene', 'okapi-floor' or 'bm25l'"),
        ("session", r"no pool; write e.g. session\(pool=max\)"),
        ("session(pool=lse)", "pool=lse: .*expected mean, max, text, top<k>"),
        ("session(pool=top0)", "pool=top0"),
        ("session(pool=lse0.0)", "pool=lse0.0"),
        ("session(pool=max,k1=1)", "with a name of pool, encoder, ties, tie_seed"),
        ("fusion(pool=max,combine=rrf,alpha=0.3)", "combine=rrf has no fixed weight"),
        ("fusion(pool=max,alpha=1.5)", "alpha=1.5"),
        ("hybrid-rrf(bm25_weight=0.3)", "bm25_weight=0.3"),
        ("hybrid-fusion(combine=rrf)", "combine"),
        ("rif", "no rule and no clusters"),
        ("rif(rule=gap)", "no clusters"),
        ("rif(rule=gap,clusters=30,beta=1)", "'beta=1'; expected name=value, each once, with a name of rule, clusters"),
        ("rif(rule=gap,clusters=30,alpha)", "parameter 'alpha'"),
        ("rif(rule=gap,clusters=30,lambda_=1)", "parameter 'lambda_=1'"),
        ("rif(rule=gap,rule=gap,clusters=30)", "each once"),
        ("rif(rule=steep,clusters=30)", "rule=steep: Input should be 'uniform' or 'gap'"),
        ("rif(rule=gap,clusters=-1)", "clusters=-1: Input should be greater"),
        ("rif(rule=gap,clusters=3.5)", "clusters=3.5"),
        ("rif(rule=gap,clusters=3,alpha=nan)", "alpha=nan"),
        ("rif(rule=gap,clusters=3,pool=0,eta=x)", "eta=x.*pool=0|pool=0.*eta=x"),
    ],
)
def test_wrong_variant_says_what_is_valid(text: str, complaint: str) -> None:
    with pytest.raises(BenchError, match=complaint):
        parse(text)


def test_parameters_belong_to_rif_alone() -> None:
    for name, rif in (("bm25", RifParams()), ("rif", None), ("sdm", None)):
        with pytest.raises(BenchError, match="expected one of"):
            Variant(name, rif)


def test_labels_are_distinct() -> None:
    assert len({label(parse(text)) for text in STRINGS}) == len(STRINGS)
    assert label(parse("rif(rule=gap,clusters=30)")) == "clustered 30, rank-gap"
    assert label(parse("rif(rule=uniform,clusters=1,rule_set=paper-literal,alpha=0.5)")) == (
        "global, uniform, the paper's rules to the letter, alpha 0.5"
    )


def test_reranked_variants() -> None:
    assert {parse(text).name for text in STRINGS if not parse(text).is_reranked} == {
        "bm25", "dense", "session", "hybrid-rrf", "hybrid-fusion", "fusion",
    }  # fmt: skip
