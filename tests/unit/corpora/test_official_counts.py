"""What parsers assert of official files is what the catalogue says of them."""

from tasks.corpora import locomo, longmemeval, nfcorpus
from tasks.downloads.catalog import load_catalog


def test_counts_of_the_parsers_against_the_catalogue() -> None:
    datasets = load_catalog().datasets
    assert datasets["nfcorpus"].counts == {
        "documents": nfcorpus.OFFICIAL_DOCUMENTS,
        "questions": nfcorpus.OFFICIAL_QUERIES["test"],
    }
    assert datasets["longmemeval-s"].counts == {
        "documents": longmemeval.OFFICIAL_DOCUMENTS,
        "questions": longmemeval.OFFICIAL_QUESTIONS,
    }
    counts = datasets["locomo"].counts
    assert counts["questions"] == sum(locomo.OFFICIAL_COUNTS.values())
    assert {category.name.lower(): n for category, n in locomo.OFFICIAL_COUNTS.items()}.items() <= counts.items()
