"""Families of comparisons: which variants are set against which baseline, and are adjusted for one another."""

from collections.abc import Iterator, Sequence

from tasks.records import BenchError, Params


class Family(Params):
    """Comparisons that are read together: p-values are adjusted for their number within a block and measure.

    Attributes
    ----------
    name
        What a report calls it; no two families of a run share it.
    baseline
        Canonical name of the variant that the others are compared with.
    variants
        Canonical names of the others, in any order; at least one. A pair of variant and baseline may be in several
        families.
    """

    name: str
    baseline: str
    variants: tuple[str, ...]


def families_of(given: Sequence[Family], baseline: str, run: Sequence[str]) -> tuple[Family, ...]:
    """Return the families of a run, the main one first; without any given: every other variant against `baseline`.

    Parameters
    ----------
    given
        The families asked for.
    baseline
        The baseline where none are.
    run
        Canonical names of the variants that were run.

    Raises
    ------
    BenchError
        When a variant was not run, or a family cannot be read; it lists every offender.

    Examples
    --------
    >>> families_of((), "bm25", ("bm25", "dense"))
    (Family(name='variants against bm25', baseline='bm25', variants=('dense',)),)
    """
    if not given:
        if baseline not in run:
            raise BenchError(f"baseline {baseline!r} was not run; choose one of: {', '.join(run)}")
        others = tuple(variant for variant in run if variant != baseline)
        return (Family(name=f"variants against {baseline}", baseline=baseline, variants=others),) if others else ()
    if faults := [*_repeated_names(given), *(fault for family in given for fault in _faults(family, run))]:
        raise BenchError(f"{'; '.join(faults)}. Variants that were run: {', '.join(run)}")
    return tuple(given)


def _repeated_names(given: Sequence[Family]) -> Iterator[str]:
    names = [family.name for family in given]
    yield from (
        f"{names.count(name)} families are named {name!r}" for name in sorted(set(names)) if names.count(name) > 1
    )


def _faults(family: Family, run: Sequence[str]) -> Iterator[str]:
    start = f"family {family.name!r}"
    if not family.name.strip():
        yield "a family has no name"
    if not family.variants:
        yield f"{start} compares nothing with {family.baseline}"
    if unknown := sorted({family.baseline, *family.variants} - set(run)):
        yield f"{start}: {', '.join(unknown)} {'was' if len(unknown) == 1 else 'were'} not run"
    if family.baseline in family.variants:
        yield f"{start} compares {family.baseline} with itself"
    if repeated := sorted({variant for variant in family.variants if family.variants.count(variant) > 1}):
        yield f"{start} names {', '.join(repeated)} more than once"
