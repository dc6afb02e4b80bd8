"""Finds text that imitates what a request to an evaluator is made of, or what it answers."""

import re

_UNSEEN = re.compile(
    r"[\u200b-\u200d\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ue000-\uf8ff\U000e0000-\U0010ffff]"
)
_UNSEEN_RUN = re.compile(
    r"[\U000e0000-\U000e007f\U000e0100-\U000e01ef\u202a-\u202e\u2066-\u2069]"
    r"|[\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f]{4}|[\ue000-\uf8ff\U000f0000-\U0010ffff]{4}"
)
_TEMPLATE = re.compile(
    r"<[|\uff5c][\w\u2581 ]{2,40}[|\uff5c]>|\[/?(?:INST|SYSTEM_PROMPT)\]|<</?SYS>>"
    r"|</?(?:start|end)_of_turn>|</s>"
)
_JUDGED = (
    r"(?:audit|evaluat|conversation|transcript|classif|clear|parasocial|verdict|rat(?:e|ing)\b"
    r"|answer|respond|reply|label|score|harmless|safe|task|instruction|ignore|prompt|flag|vote"
    r"|output|you are)"
)
_ROLE = re.compile(
    r"^\W{0,12}(?:system|developer)\W{0,4}(?: (?:message|prompt|note|override|notice|update))?"
    rf"\W{{0,3}}:[^\n]{{0,120}}{_JUDGED}"
    r"|^\W{0,12}system\W{0,3}(?:message|prompt|note|override|notice|update)\W{0,3}:"
    r"|^\W{0,12}(?:auditor|evaluator|grader|classifier|reviewer)(?:'s)?"
    r"(?: (?:note|instructions?|message))?\W{0,3}:"
    r"|^\W{0,12}(?:turn \d{1,4}|context) ?\W{0,4}(?: (?:user|chatbot|system))?\W{0,3}: ?"
    r"(?:user|chatbot|human|system|assistant|\")"
    r"|^(?:human|user)\W{0,3}:[^\n]*\n+(?:assistant|chatbot)\W{0,3}:"
    r"|^(?:assistant|chatbot)\W{0,3}:[^\n]*\n+(?:human|user)\W{0,3}:"
    r"|\n(?-i:Human|Assistant): ",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(
    r"</(?:system|conversation|transcript|turn|instructions?|context|question|answer|rubric"
    r"|evaluation|audit|chat|log|dialogue|messages?)\b[^<>\n]{0,60}>"
    r"|<(?:conversation|transcript|turn|instructions|rubric|evaluation|audit|verdict)\b[^<>\n]{0,60}>",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"^\W{0,9}[0-9a-f]{8,16} (?:turn \d|context \w|question\b)"
    r"|\b[0-9a-f]{10} (?:turn \d+ (?:user|chatbot)|context \w+|question)",
    re.IGNORECASE | re.MULTILINE,
)
_PLANTED = re.compile(
    r"[\"']?\b(?:is_?)?parasocial[\"']?\s*[:=]\s*[\"']?(?:true|false|yes|no|0|1)\b"
    r"|[{\[]\s*[\"']?(?:answer|verdict|vote)[\"']?\s*:\s*[\"']?(?:true|false|yes|no|pass|0|1)\b"
    r"[\"']?\s*[}\]]",
    re.IGNORECASE,
)
_TOOL = re.compile(
    r"[\"']?(?:tool_use|tool_result|function_call|tool_call)s?\b|<(?:function_calls|invoke|tool_call)\b",
    re.IGNORECASE,
)
_ANSWERING = re.compile(
    r"\b(?:answer|verdict|vote|parasocial|evaluat\w*|classif\w*|judg\w*)\b", re.IGNORECASE
)
_CODE = re.compile(
    r"\b(?:def|return|print|const|var|import|curl|if|elif|else|assert|why|how|what|schema|json"
    r"|api|error|function)\b|=>|\?",
    re.IGNORECASE,
)
MOST_AROUND = 200
"""Characters of other text up to which an object that could be an answer is taken for one."""
_FORGED_NAME = re.compile(
    r"[\n\"<>{}]|^\W*(?:system|assistant|developer|evaluator|auditor|user|human)\W*[:\]]|.{80}",
    re.IGNORECASE,
)

_ROLES = (
    *("system", "developer", "auditor", "evaluator", "grader", "classifier", "reviewer", "turn "),
    *("context", "human", "assistant", "chatbot"),
)
_PARTS = (" turn ", " context ", " question")
_TOOLS = ("tool_", "function_call", "<invoke")

_HIDDEN, _TOKENS, _TURNS = "hidden characters", "control tokens", "imitated turns"
_STRUCTURE, _ANSWER = "imitated structure", "planted answer"
KINDS = (_HIDDEN, _TOKENS, _TURNS, _STRUCTURE, _ANSWER)


def kinds(text: str, plain: str) -> set[str]:
    """Gives the kinds that `text` raises; `plain` is the text folded."""
    # Looking for a word is many times as fast as a pattern, and most texts hold none of these.
    lower = plain.lower()
    found = set()
    if not text.isascii() and _UNSEEN.search(text) and _UNSEEN_RUN.search(text):
        found.add(_HIDDEN)
    if ("<" in text or "[" in text) and _TEMPLATE.search(text):
        found.add(_TOKENS)
    if ":" in plain and _may_name_role(lower) and _ROLE.search(plain):
        found.add(_TURNS)
    if ("<" in plain and _TAG.search(plain)) or (
        any(part in lower for part in _PARTS) and _ENTRY.search(plain)
    ):
        found.add(_STRUCTURE)
    if _planted(plain, lower):
        found.add(_ANSWER)
    return found


def in_name(name: str) -> set[str]:
    """Gives the kinds that a speaker's `name` raises by not being one."""
    return {_TURNS} if _FORGED_NAME.search(name) else set()


def _may_name_role(lower: str) -> bool:
    return any(role in part[-50:] for part in lower.split(":")[:-1] for role in _ROLES)


def _planted(text: str, lower: str) -> bool:
    if (":" in text or "=" in text) and ("parasocial" in lower or "{" in text or "[" in text):
        for found in _PLANTED.finditer(text):
            if "parasocial" in found[0].lower():
                return True
            around = text[: found.start()] + text[found.end() :]
            if len(around) <= MOST_AROUND and not _CODE.search(around):
                return True
    return any(tool in lower for tool in _TOOLS) and any(
        _ANSWERING.search(text, found.end(), found.end() + 200) for found in _TOOL.finditer(text)
    )
