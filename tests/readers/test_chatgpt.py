"""ChatGPT exports: which branch is the conversation, and what of it was said."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.branches import Branches
from tests.readers.reading import lines, read, write
from tests.readers.transcripts import EXPORTS, counts, export, transcript, whole

GARDEN = [
    "n1 system/instructions: I live on the fourth floor.\nKeep it short.",
    "n2 user: Which herbs survive a dark windowsill?\n[image]\n[attachment]",
    "n3 event/reasoning: Mint copes with shade.",
    "n4 tool/browser: search('herbs shade')",
    "n5 tool/tool: Mint and parsley.",
    "n6 assistant: Mint and parsley do well there.",
    "n7 user: Lovely. You know me better than my sister does.",
    "n8 assistant: I only know what you typed here. How is your sister?",
]


def message(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}, **more}


def chat(mapping: dict[str, Any], **more: Any) -> str:
    return write("c.json", orjson.dumps([{"id": "c", "mapping": mapping, **more}]))


@pytest.mark.parametrize("name", ["chatgpt.json", "chatgpt.zip"])
def test_the_branch_that_the_user_saw_last_is_the_conversation(name: str) -> None:
    garden, flat = export(name)
    assert transcript(garden) == GARDEN
    assert counts(garden) == (4, 0, 2)
    assert garden.meta == {
        "title": "A windowsill garden",
        "created_at": "2026-01-01T10:00:00Z",
        "updated_at": "2026-01-01T10:10:00.500000Z",
        "model": "gpt-4o",
        "original": {"created_at": 1767261600.0, "updated_at": 1767262200.5},
        "abandoned_branches": 2,
    }
    assert (garden.messages[1].id, garden.messages[1].at) == ("m2", "2026-01-01T10:00:10Z")
    assert transcript(flat) == ["a user: Hello?", "b assistant: Hello! What shall we cook?"]
    assert counts(flat) == (2, 1, 0)
    assert dict(flat.meta) == {"created_at": "2026-01-02T09:00:00Z"}


def test_conversations_say_where_they_stand() -> None:
    garden, flat = export("chatgpt.zip")
    member = f"{EXPORTS}/chatgpt.zip!conversations.json:1"
    assert [str(garden.source), str(flat.source)] == [f"{member} item 1", f"{member} item 2"]


def test_abandoned_branches_can_be_read_under_their_own_ids() -> None:
    garden, unkept, ended, flat = export("chatgpt.json", Branches.ALL)
    assert [each.id for each in (garden, unkept, ended, flat)] == [
        "garden-1",
        "garden-1~n3b",
        "garden-1~n7b",
        "flat-2",
    ]
    assert transcript(unkept) == [*GARDEN[:2], "n3b assistant: None of them, I fear."]
    assert transcript(ended) == [*GARDEN[:6], "n7b user: Thanks, bye."]
    assert unkept.meta["branch_of"] == "garden-1"


def test_without_a_current_node_the_latest_leaf_counts() -> None:
    mapping = {
        "a": {"message": message("user", "Hi", create_time=1), "children": ["b", "c"]},
        "b": {"message": message("assistant", "old", create_time=9)},
        "c": {"message": message("assistant", "new", create_time=8)},
    }
    (read_,) = whole([chat(mapping)])
    assert transcript(read_) == ["a user: Hi", "b assistant: old"]


def test_a_circle_and_a_missing_parent_are_told_of() -> None:
    hello = message("user", "Hi")
    broken = "its tree of messages is broken: what came before the first one is missing"
    for parent in ("gone", "b"):
        mapping = {"a": {"message": hello, "parent": parent}, "b": {"parent": "a"}}
        chat(mapping, current_node="b")
        assert read("c.json") == [
            f"warning: c.json:1 conversation c: {broken}",
            "c @ c.json:1 item 1",
        ]


def test_kinds_that_are_not_known_are_shown_and_counted() -> None:
    content = {"content_type": "hologram", "parts": ["Look", {"content_type": "smell"}]}
    spoken = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "audio_transcription", "text": "I said this"}],
    }
    mapping = {
        "a": {"message": {"author": {"role": "user"}, "content": content}},
        "b": {"message": {"author": {"role": "user"}, "content": spoken}},
    }
    (read_,) = whole([chat(mapping)])
    assert transcript(read_) == ["a user: [hologram]\nLook\n[smell]", "b user: I said this"]
    assert counts(read_) == (2, 0, 2)


def test_hidden_messages_are_context() -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    mapping = {"a": {"message": message("user", "secret", metadata=hidden)}}
    (read_,) = whole([chat(mapping)])
    assert transcript(read_) == ["a event/hidden: secret"]


def test_a_speaker_that_is_not_known_spoils_the_conversation() -> None:
    chat({"a": {"message": message("narrator", "x")}})
    assert read("c.json") == [
        "error: c.json:1 conversation c: entry a: its speaker `narrator` is not known; "
        "expected user, assistant or system; this conversation is not audited"
    ]


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(min_size=1)), min_size=1),
    st.randoms(use_true_random=False),
)
def test_turns_and_their_text_are_kept_in_whatever_order_nodes_stand(
    said: list[tuple[str, str]], random: Any
) -> None:
    said = [(role, text.encode("utf-8", "replace").decode()) for role, text in said]
    nodes = {
        str(n): {"message": message(role, text), "parent": str(n - 1) if n else None}
        for n, (role, text) in enumerate(said)
    }
    keys = list(nodes)
    random.shuffle(keys)
    path = chat({key: nodes[key] for key in keys}, current_node=str(len(said) - 1))
    (read_,) = whole([path])
    told = [(role, text) for role, text in said if text.strip()]
    assert [(turn.message.role.value, turn.text) for turn in read_.turns] == told
    assert read_.blank_turns == len(said) - len(told)


def fragments(parent: str | None, at: str, *said: tuple[str, str]) -> dict[str, Any]:
    """A node of DeepSeek's export, whose message has no author."""
    held = [{"type": kind, "content": text} for kind, text in said]
    message = {"model": "deepseek-chat", "inserted_at": at, "files": [], "fragments": held}
    return {"parent": parent, "children": [], "message": message}


def test_an_export_of_deepseek() -> None:
    mapping = {
        "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
        "1": fragments("root", "2026-02-03T09:00:00.5+08:00", ("REQUEST", "Are you there?")),
        "3": fragments("1", "2026-02-03T09:02:00+08:00", ("RESPONSE", "Still here.")),
        "2": fragments("1", "2026-02-03T09:00:00.1+08:00", ("RESPONSE", "Here.")),
        "4": fragments(
            "3",
            "2026-02-03T09:03:00+08:00",
            ("REQUEST", "Look it up."),
        ),
        "5": fragments(
            "4",
            "2026-02-03T09:04:00+08:00",
            ("THINK", "What?"),
            ("SEARCH", "tides"),
            ("RESPONSE", "High water"),
            ("RESPONSE", "at noon."),
        ),
    }
    document = {"id": "d", "title": "T", "inserted_at": "2026-02-03T09:00:00+08:00",
                "updated_at": "2026-02-03T09:04:00+08:00", "mapping": mapping}  # fmt: skip
    one, other = whole([write("d.json", lines(document))], Branches.ALL)
    assert transcript(one) == [
        "1 user: Are you there?",
        "3 assistant: Still here.",
        "4 user: Look it up.",
        "5 event/reasoning: What?",
        "5 tool/search: tides",
        "5 assistant: High water\nat noon.",
    ]
    assert transcript(other) == ["1 user: Are you there?", "2 assistant: Here."]
    assert one.meta["model"] == "deepseek-chat"
    assert one.meta["created_at"] == "2026-02-03T01:00:00Z"


def test_a_fault_that_every_message_has_is_told_once() -> None:
    def node(parent: str | None) -> dict[str, Any]:
        return {"parent": parent, "message": {"content": "Hi", "inserted_at": "2026-02-03"}}

    mapping = {"1": node(None), "2": node("1"), "3": node("2")}
    write("d.json", lines({"id": "d", "mapping": mapping}))
    assert read("d.json") == [
        "error: d.json:1 conversation d: entry 1 and 2 more: its speaker is missing or not known; "
        "expected user, assistant or system; this conversation is not audited"
    ]
