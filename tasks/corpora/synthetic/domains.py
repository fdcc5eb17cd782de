"""The domains of the synthetic corpus, and its facts by sort."""

from tasks.corpora.synthetic.domain_cooking import COOKING
from tasks.corpora.synthetic.domain_crafts import CRAFTS
from tasks.corpora.synthetic.domain_fitness import FITNESS
from tasks.corpora.synthetic.domain_garden import GARDEN
from tasks.corpora.synthetic.domain_health import HEALTH
from tasks.corpora.synthetic.domain_home import HOME
from tasks.corpora.synthetic.domain_money import MONEY
from tasks.corpora.synthetic.domain_music import MUSIC
from tasks.corpora.synthetic.domain_pets import PETS
from tasks.corpora.synthetic.domain_reading import READING
from tasks.corpora.synthetic.domain_travel import TRAVEL
from tasks.corpora.synthetic.domain_work import WORK
from tasks.corpora.synthetic.kinds import Domain

DOMAINS: tuple[Domain, ...] = (
    COOKING, GARDEN, HOME, FITNESS, HEALTH, PETS, MUSIC, CRAFTS, READING, TRAVEL, WORK, MONEY,
)  # fmt: skip

BY_NAME: dict[str, Domain] = {domain.name: domain for domain in DOMAINS}


def domain_of(kind: str) -> Domain:
    """Return the domain of a fact, whose name is ``<domain>.<kind>``.

    >>> domain_of("music.band").name
    'music'
    """
    return BY_NAME[kind.partition(".")[0]]
