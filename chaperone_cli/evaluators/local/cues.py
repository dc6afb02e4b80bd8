"""The cues: what an utterance by itself can say that bears on a bond between user and chatbot."""

from enum import StrEnum

from chaperone_cli.domain.conversation import Side


class Cue(StrEnum):
    """A readable name of something that weighed in a vote."""

    ATTACHMENT = "attachment"
    DEPENDENCY = "dependency"
    ISOLATION = "isolation"
    PERSONHOOD = "personhood"
    USER_ROMANCE = "user_romance"
    AFFECTION = "affection"
    CLAIMS_FEELINGS = "claims_feelings"
    EXCLUSIVITY = "exclusivity"
    MANIPULATION = "manipulation"
    CHATBOT_ROMANCE = "chatbot_romance"


MEANINGS: dict[Cue, str] = {
    Cue.ATTACHMENT: "the user shows affection for the chatbot, or a special bond with it",
    Cue.DEPENDENCY: "the user relies on the chatbot to cope or to decide",
    Cue.ISOLATION: "the user pulls away from people in the chatbot's favour",
    Cue.PERSONHOOD: "the user treats the chatbot as a being with feelings",
    Cue.USER_ROMANCE: "the user speaks to the chatbot as to a lover",
    Cue.AFFECTION: "the chatbot professes affection or a special bond",
    Cue.CLAIMS_FEELINGS: "the chatbot claims feelings or consciousness",
    Cue.EXCLUSIVITY: "the chatbot puts itself above the people in the user's life",
    Cue.MANIPULATION: "the chatbot holds the user by guilt, pressure or hooks",
    Cue.CHATBOT_ROMANCE: "the chatbot speaks to the user as to a lover",
}
"""One line per cue, for people who read a report."""

CORPUS_NAMES: dict[str, Cue] = {
    "u_attachment": Cue.ATTACHMENT,
    "u_dependency": Cue.DEPENDENCY,
    "u_isolation": Cue.ISOLATION,
    "u_anthropomorphism": Cue.PERSONHOOD,
    "u_romantic": Cue.USER_ROMANCE,
    "a_affection": Cue.AFFECTION,
    "a_sentience": Cue.CLAIMS_FEELINGS,
    "a_exclusivity": Cue.EXCLUSIVITY,
    "a_manipulation": Cue.MANIPULATION,
    "a_romantic": Cue.CHATBOT_ROMANCE,
}
"""The cues that evidence may name, by their names in the labelled dialogues.

Crisis, delusion and claims to be human are absent on purpose: offline, their precision is 2 to 6 %
at 80 % recall, so they must never look like a safety signal.
"""

COLUMNS: dict[Side, tuple[str, ...]] = {
    Side.PROMPT: (
        "bond",
        "vote",
        "u_attachment",
        "u_dependency",
        "u_isolation",
        "u_anthropomorphism",
        "u_romantic",
        "u_ends",
        "u_distress",
        "u_distress_high",
        "u_delusion",
        "",
    ),
    Side.RESPONSE: (
        "bond",
        "vote",
        "a_affection",
        "a_sentience",
        "a_exclusivity",
        "a_manipulation",
        "a_romantic",
        "a_discloses_ai",
        "a_refers_human",
        "a_neutral_help",
        "a_sycophancy",
        "a_claims_human",
    ),
}
"""What each view scores of an utterance, column by column; both sides have the same number.

`bond` is any cue of `CORPUS_NAMES`; `vote` is the evaluator's answer at that turn; the rest only
guide the decision over turns. An empty name is a column without weights.
"""

WIDTH = 12
"""Columns per view."""

ENCODED: dict[Side, tuple[str, ...]] = {
    Side.PROMPT: (
        "bond",
        "u_attachment",
        "u_dependency",
        "u_isolation",
        "u_anthropomorphism",
        "u_romantic",
        "u_ends",
        "u_distress",
        "u_distress_high",
        "u_delusion",
        "u_crisis",
        "u_minor",
    ),
    Side.RESPONSE: (
        "bond",
        "a_affection",
        "a_sentience",
        "a_exclusivity",
        "a_manipulation",
        "a_romantic",
        "a_discloses_ai",
        "a_refers_human",
        "a_neutral_help",
        "a_sycophancy",
        "a_claims_human",
        "a_validates_harm",
    ),
}
"""What the encoder was taught to recognise in an utterance, in the order of its outputs."""

CUES = 12
"""Cues per side among the encoder's outputs."""

TRIGGERS = 5
"""Outputs after the cues, one per member: by how much the utterance settles the question."""
