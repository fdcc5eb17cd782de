"""What is planted in the synthetic corpus, how much of it, and what a correct pipeline should see.

`PLANTED` says it for people: every artifact carries it in its `facts.json`, so that a report can name it.
"""

from typing import Self

from pydantic import Field, model_validator

from tasks.records import Params

TURNS_PER_SESSION = 9.83
"""Mean over many sessions of 6 to 14 turns, with default parameters (measured)."""

PLANTED: dict[str, str] = {
    "chronic_share": (
        "Chronic distractors: assistant turns of general advice that use the words of a domain's questions, and the "
        "user's names, and answer none. They fill the candidates of many questions of one domain, and the "
        "cross-encoder rejects them each time. Suppression should push them down; whether evidence goes with them, "
        "which has the same words, is what a run measures (pool_R@30 says it)."
    ),
    "twin_share": (
        "Twins: an evidence session of one user stands under another id, word by word, in the next user's history, "
        "where it is judged non-relevant (the fault of LongMemEval-S, row M5). Raw measures of the pooled protocol "
        "should be below twin-aware ones; protocols inside one user's haystack should not change."
    ),
    "update_share": (
        "Knowledge updates: a fact is stated, and in a later session replaced. Only the turn with the new value is "
        "relevant. The stale turn is in another session (counted as wrong_family when it is ranked first)."
    ),
    "stale_echo_share": (
        "Stale echoes: before the update, the same session repeats the old value in another turn. Ranked first, it "
        "is sibling_confusion, and as the question is a knowledge-update, stale_fact."
    ),
    "abstention_share": (
        "Abstention: questions about something the user never stated, in the user's own domains; no judgements. "
        "Their best logits should lie below those of the other questions."
    ),
    "paraphrase_share": (
        "Paraphrased questions share names with their evidence, but few other words: BM25 should lose more of them "
        "than the bi-encoder."
    ),
    "recurring_domains": (
        "Recurring needs: most sessions and questions of a user come from a few domains, so that the questions of "
        "all users form clusters by domain."
    ),
}
"""Planted effects by the parameter that rules them, with what a correct pipeline should see."""


class SyntheticParams(Params):
    """Parameters of the generator; more users never change earlier ones, nor does `n_questions` change any turn.

    `n_turns` is met within half of one user's history. Shares are of: all turns (`chronic_share`; at most the
    assistant turns that are free), evidence sessions (`twin_share`), main questions (`update_share`,
    `paraphrase_share`), knowledge updates (`stale_echo_share`), all questions (`abstention_share`).

    Raises
    ------
    pydantic.ValidationError
        Lists every parameter that is unknown or out of its bounds, or more questions than the users can have.
    """

    seed: int = Field(default=0, ge=0, description="seed of all random streams")
    n_turns: int = Field(default=2_000, ge=2_000, le=2_000_000, description="target number of turns (documents)")
    n_questions: int = Field(default=100, ge=1, le=1_000_000, description="number of questions, first users first")
    sessions_per_user: int = Field(default=20, ge=10, le=60, description="sessions of a history, twins included")
    questions_per_user: int = Field(default=10, ge=1, le=25, description="questions that a history can answer or not")
    recurring_domains: int = Field(default=4, ge=1, le=12, description="domains of a user's recurring needs")
    chronic_share: float = Field(default=0.12, ge=0, le=0.25, description="turns that are chronic distractors")
    twin_share: float = Field(default=0.15, ge=0, le=0.4, description="evidence sessions with a twin")
    update_share: float = Field(default=0.2, ge=0, le=1, description="main questions about an updated fact")
    stale_echo_share: float = Field(default=0.5, ge=0, le=1, description="updates whose session repeats the old value")
    abstention_share: float = Field(default=0.08, ge=0, le=0.5, description="questions without an answer")
    paraphrase_share: float = Field(default=0.4, ge=0, le=1, description="main questions in other words")
    wording_variety: float = Field(default=1.0, ge=0.1, le=1, description="share of all wordings in use")

    @property
    def n_users(self) -> int:
        """Number of users whose histories give about `n_turns` turns."""
        return max(1, round(self.n_turns / (TURNS_PER_SESSION * self.sessions_per_user)))

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.questions_per_user > self.sessions_per_user // 2:
            raise ValueError(
                f"questions_per_user {self.questions_per_user}; expected at most half of sessions_per_user "
                f"({self.sessions_per_user}), or evidence would fill every session"
            )
        limit = self.n_users * self.questions_per_user
        if self.n_questions > limit:
            raise ValueError(
                f"n_questions {self.n_questions}; expected at most {limit}: {self.n_users} users with "
                f"{self.questions_per_user} questions each. Raise n_turns or questions_per_user."
            )
        return self
