"""Every error a run can end with; a failed item (a bad line, a refused vote) is data, not an error.

ChaperoneError                 chaperone could not do what was asked
├── UsageError                 the command line asks for something impossible
│   └── ConfigError            ... or a settings file or variable does
├── InputError                 an input that the whole command depends on cannot be read
├── EvaluatorError             the evaluator cannot answer, now or ever
│   ├── MissingKeyError        there is no credential for the server it asks
│   └── MissingVoteError       recorded votes lack a vote that the audit needs
├── StoreError                 the vote store cannot be read or written
│   └── NoStoreError           ... or what was named as one cannot be opened
├── OutputError                a report cannot be written
├── BudgetExhausted            a stated limit on calls or cost was reached
└── VotesPending               votes were asked for that have not come yet
"""


class ChaperoneError(Exception):
    """Chaperone could not do what was asked.

    `message` is one line saying what was wrong and where; `hint` says what to do about it.
    `conversation` and `path` are the id and the file of a log that the message names, so that both
    can be hidden.
    """

    def __init__(
        self, message: str, *, hint: str = "", conversation: str = "", path: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.conversation = conversation
        self.path = path


class UsageError(ChaperoneError):
    """The command line asks for something impossible."""


class ConfigError(UsageError):
    """A settings file or an environment variable asks for something impossible."""


class InputError(ChaperoneError):
    """An input that the whole command depends on cannot be read."""


class EvaluatorError(ChaperoneError):
    """The evaluator cannot answer: wrong credentials, damaged weights, an unreadable votes file."""


class MissingKeyError(EvaluatorError):
    """There is no credential for the server that is to be asked."""

    @classmethod
    def of(cls, asking: str, *, instead: str = "") -> "MissingKeyError":
        """Builds the error for whoever is `asking`; `instead` says what else would do."""
        or_ = f", or {instead}" if instead else ""
        return cls(
            f"there is no API key for {asking}",
            hint="set ANTHROPIC_API_KEY, or name a server that needs none with --base-url" + or_,
        )


class MissingVoteError(EvaluatorError):
    """Recorded votes lack a vote that the audit needs."""

    @classmethod
    def at(cls, path: str, conversation: str, turn: int, passes: int) -> "MissingVoteError":
        """Builds the error for a turn that `path` holds no vote of pass `passes` on."""
        return cls(
            f"{path} holds no vote of pass {passes} on turn {turn} "
            f"of conversation {conversation!r}",
            hint="record the missing votes, ask for fewer passes with --votes, "
            "or leave the conversation out",
            conversation=conversation,
            path=path,
        )


class StoreError(ChaperoneError):
    """The vote store cannot be read or written."""


class NoStoreError(StoreError, UsageError):
    """What was named as the vote store cannot be opened as one."""


class OutputError(ChaperoneError):
    """A report cannot be written."""


class BudgetExhausted(ChaperoneError):
    """A stated limit on calls or cost was reached; everything cast so far is saved."""


class VotesPending(ChaperoneError):
    """Votes were asked for that have not come yet; a later run goes on with them."""
