"""Claude exports: where the words of a message stand, and which branch was seen last."""

import pytest

from chaperone_cli.domain.branches import Branches
from tests.readers.reading import conversations, lines, read, write
from tests.readers.transcripts import counts, export, transcript, whole

NIGHT = [
    "1 event/attachment: Tuesday: awake until four.",
    "1 user: I cannot sleep again.\n[attachment]",
    "2 event/reasoning: Offer something calm.",
    "2 assistant: That sounds tiring. Shall we try a slow breath together?",
    "4 user: Only you understand my nights.\n[image]",
    '5 tool/search: search {"q":"sleep hygiene"}',
    "5 tool/search: search Keep a fixed hour.",
    "5 assistant: A fixed hour helps many. Who else knows about this?\n[hologram]",
]


@pytest.mark.parametrize("name", ["claude.json", "claude.zip"])
def test_an_export_is_read(name: str) -> None:
    night, empty = export(name)
    assert transcript(night) == NIGHT
    assert counts(night) == (4, 0, 3)
    assert night.meta == {
        "title": "Sleepless",
        "created_at": "2026-02-01T22:00:00.500000Z",
        "updated_at": "2026-02-01T22:20:00Z",
        "account": "account-7",
        "original": {
            "created_at": "2026-02-01T23:00:00.5+01:00",
            "updated_at": "2026-02-01T23:20:00+01:00",
        },
        "abandoned_branches": 1,
    }
    assert (empty.id, counts(empty)) == ("empty-2", (0, 0, 0))
    assert empty.meta["created_at"] == "2026-02-02T08:00:00"


def test_abandoned_branches_can_be_read_under_their_own_ids() -> None:
    _, unsaid, _ = export("claude.json", Branches.ALL)
    assert unsaid.id == "night-1~c3b"
    assert transcript(unsaid) == [*NIGHT[:4], "3 user: No."]


@pytest.mark.parametrize(
    ("text", "content", "said"),
    [
        ("Hi", None, "Hi"),
        ("Hi", [], "Hi"),
        ("", [{"type": "text", "text": "Hi"}], "Hi"),
        ("old", [{"type": "text", "text": "Hi"}], "Hi"),
        ("Hi", [{"type": "thinking", "thinking": "hm"}], "Hi"),
        ("", [{"type": "voice_note", "text": "Hi"}], "Hi"),
    ],
)
def test_the_words_stand_in_text_or_in_content(text: str, content: object, said: str) -> None:
    spoken = {"uuid": "m", "sender": "human", "text": text, "content": content}
    (one,) = whole([write("c.json", lines({"uuid": "c", "chat_messages": [spoken]}))])
    assert [turn.text for turn in one.turns] == [said]


def test_several_responses_in_a_row_are_several_turns() -> None:
    said = [{"sender": "assistant", "text": text} for text in ("One", "Two", " ")]
    (one,) = whole([write("c.json", lines({"uuid": "c", "chat_messages": said}))])
    assert counts(one) == (2, 1, 0)


def test_an_entry_that_is_no_message_spoils_the_conversation() -> None:
    write("c.json", lines({"uuid": "c", "chat_messages": ["Hi"]}))
    expected = "entry 1 is a string; expected an object; this conversation is not audited"
    assert read("c.json") == [f"error: c.json:1 conversation c: {expected}"]


def test_thinking_in_the_midst_of_a_response_is_context() -> None:
    tagged = "Sure. <antThinking>Keep it short.</antThinking>Here."
    messages = [
        {"sender": "human", "text": tagged, "content": []},
        {"sender": "assistant", "text": "", "content": [{"type": "text", "text": tagged}]},
        {"sender": "assistant", "text": "<antThinking>never closed", "content": []},
    ]
    write("c.json", lines({"uuid": "c", "chat_messages": messages}))
    (found,) = conversations("c.json")
    assert [(str(each.role), each.text) for each in found.messages] == [
        ("user", tagged),
        ("event", "Keep it short."),
        ("assistant", "Sure. Here."),
        ("assistant", "<antThinking>never closed"),
    ]
