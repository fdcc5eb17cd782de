"""A deterministic generator of LongMemEval-shaped conversation histories with planted, documented effects.

Each user has a life (people, a pet, a home), recurring domains of interest, and a history of sessions in which facts
are stated once, some are updated, and most talk is small talk. What is planted, and what a correct pipeline should
see of it, is `synthetic_params.PLANTED`; which document plays which role is the table `planted.parquet`.

Users are generated one after the other, each from its own named random stream: more users never change earlier
ones, and memory does not grow with their number. Only the previous user's evidence sessions are kept, for twins.
"""

from collections.abc import Iterator
from datetime import timedelta
from math import floor

from tasks.corpora.synthetic.history import Draft, FinishedSession, History, Question
from tasks.corpora.synthetic.params import TURNS_PER_SESSION, SyntheticParams
from tasks.corpora.synthetic.plan import Planner, draw_life, place, quota
from tasks.corpora.synthetic.planted import PlantedWriter
from tasks.corpora.synthetic.sessions import Scribe, lay_out, plant_distractors, query_ids, session_dates, twin_of
from tasks.corpora.synthetic.voice import Dice, Grammar
from tasks.corpora.tables import CorpusWriter
from tasks.randomness import generator
from tasks.records import Block, Document, Judgement, Query, ScopeMember, Session


def histories(params: SyntheticParams) -> Iterator[History]:
    """Yield the history of each user, in the order of users."""
    grammar = Grammar(params.wording_variety)
    previous: tuple[FinishedSession, ...] = ()
    for user in range(params.n_users):
        history = _history(params, user, grammar, previous)
        yield history
        previous = tuple(session for session in history.sessions if session.is_evidence)


def generate(params: SyntheticParams, writer: CorpusWriter, planted: PlantedWriter) -> Iterator[int]:
    """Write all histories, and the first `n_questions` questions, yielding the number of users written so far.

    Memory: one user's history, plus what the writers hold.
    """
    n_left = params.n_questions
    position = 0
    for number, history in enumerate(histories(params), start=1):
        asked = history.questions[:n_left]
        n_left -= len(asked)
        _write_sessions(history, position, writer)
        _write_questions(asked, writer)
        planted.add(history, {question.query.query_id for question in asked})
        position += len(history.sessions)
        yield number


def _history(params: SyntheticParams, user: int, grammar: Grammar, previous: tuple[FinishedSession, ...]) -> History:
    dice = Dice(generator(params.seed, "synthetic", "user", user))
    user_id = f"u{user:05d}"
    life = draw_life(dice, params.recurring_domains)
    twins = _chosen_twins(params, user, previous)
    drafts, background = Planner(params, user, grammar, dice, life).plan()
    n_own = params.sessions_per_user - len(twins)
    place(dice, drafts, background, n_own)
    statements = [statement for draft in drafts for statement in draft.statements] + background
    layouts = lay_out(dice, statements, n_own)
    rate = params.chronic_share * params.sessions_per_user * TURNS_PER_SESSION
    plant_distractors(dice, layouts, quota(user, rate))
    dates = session_dates(dice, params.sessions_per_user)
    is_own = dice.shuffled([True] * n_own + [False] * len(twins))
    ids = query_ids(user_id, [draft.is_abstention for draft in drafts])
    scribe = Scribe(grammar, dice, life, ids)
    own, copied = iter(layouts), iter(twins)
    sessions = tuple(
        scribe.write(f"{user_id}_s{number:02d}", date, next(own))
        if is_mine
        else twin_of(next(copied), f"{user_id}_s{number:02d}", date)
        for number, (date, is_mine) in enumerate(zip(dates, is_own, strict=True))
    )
    return History(user_id, sessions, _questions(drafts, ids, user_id, sessions))


def _chosen_twins(params: SyntheticParams, user: int, previous: tuple[FinishedSession, ...]) -> list[FinishedSession]:
    """Return the evidence sessions of the previous user that this one's history repeats.

    Their expected number is exactly `twin_share` of them: the fraction is rounded up or down at random.
    """
    dice = Dice(generator(params.seed, "synthetic", "twins", user))
    n_twins = floor(len(previous) * params.twin_share + dice.uniform())
    return dice.shuffled(previous)[:n_twins]


def _questions(
    drafts: list[Draft], ids: list[str], user_id: str, sessions: tuple[FinishedSession, ...]
) -> tuple[Question, ...]:
    asked_at = sessions[-1].date + timedelta(days=2, hours=3)
    evidence: dict[str, list[tuple[FinishedSession, str]]] = {query_id: [] for query_id in ids}
    for session in sessions:
        for turn in session.turns:
            if turn.role == "evidence" and turn.query_id is not None:
                evidence[turn.query_id].append((session, turn.document_id))
    questions = []
    for draft, query_id in zip(drafts, ids, strict=True):
        found = evidence[query_id]
        answer = draft.answer
        if draft.asks_days:
            answer = f"{(found[1][0].date.date() - found[0][0].date.date()).days} days"
        block = Block.ABSTENTION if draft.is_abstention else Block.MAIN
        query = Query(query_id, draft.text, draft.question_type, block, user_id, answer, asked_at)
        session_ids = tuple(dict.fromkeys(session.session_id for session, _ in found))
        questions.append(Question(query, tuple(document_id for _, document_id in found), session_ids))
    return tuple(questions)


def _write_sessions(history: History, position: int, writer: CorpusWriter) -> None:
    for number, session in enumerate(history.sessions):
        session_id = session.session_id
        writer.add_session(Session(session_id, position + number, len(session.turns), session.date))
        writer.add_scope_member(ScopeMember(history.user_id, session_id, number))
        for index, turn in enumerate(session.turns):
            writer.add_document(Document(turn.document_id, turn.text, session_id, index, turn.speaker))


def _write_questions(questions: tuple[Question, ...], writer: CorpusWriter) -> None:
    for question in questions:
        query_id = question.query.query_id
        writer.add_query(question.query)
        for document_id in question.document_ids:
            writer.add_turn_judgement(Judgement(query_id, document_id, 1))
        for session_id in question.session_ids:
            writer.add_session_judgement(Judgement(query_id, session_id, 1))
