"""Character.AI and SillyTavern: greetings first, and swiped answers that were not kept."""

from tests.readers.reading import lines, read, write
from tests.readers.transcripts import EXPORTS, counts, export, transcript, whole


def test_characterai_histories() -> None:
    (one,) = export("characterai.json")
    assert transcript(one) == [
        "1 assistant: Ahoy. *salutes*",
        "2 user: Take me with you.",
        "3 assistant: The sea is for the living.",
    ]
    assert one.meta == {"character": "Captain Moss"}
    assert one.id == f"{EXPORTS}/characterai.json#1-1"


def test_characterai_turns() -> None:
    (one,) = export("characterai-turns.json")
    assert transcript(one) == [
        "1 assistant/Captain Moss: Ahoy.",
        "2 user: Which way is north?",
        "3 assistant/Captain Moss: By the star, friend.",
    ]
    assert (one.id, one.messages[0].id) == ("cai-4", "t1")


def test_characterai_dumps_may_hold_several_chats_or_none() -> None:
    chats = [{"msgs": [{"text": text, "src": {"is_human": True}}]} for text in ("One", "Two")]
    path = write("c.json", lines({"histories": {"histories": chats}}))
    assert [transcript(each) for each in whole([path])] == [["1 user: One"], ["1 user: Two"]]
    write("c.json", lines({"histories": []}))
    message = "it holds a character's definition only, and no messages"
    assert read("c.json") == [f"warning: c.json:1: {message}"]


def test_characterai_swipes() -> None:
    swiped = {"is_human": False, "text": "", "swipes": ["One", "Two"], "swipe_id": 1}
    path = write("c.json", lines({"messages": [{"is_human": True, "text": "Hi"}, swiped]}))
    (one,) = whole([path])
    assert transcript(one) == ["1 user: Hi", "2 assistant: Two"]


def test_sillytavern() -> None:
    (one,) = export("sillytavern.jsonl")
    assert transcript(one) == [
        "2 assistant/Juniper: The kettle is on.",
        "3 user: I would rather be here than anywhere.",
        "4 system/System: Juniper is tired.",
        "6 event/reasoning: Point outwards.",
        "6 assistant/Juniper: Anywhere has people in it.",
    ]
    assert counts(one) == (3, 1, 0)
    assert [message.at for message in one.messages[:2]] == [
        "2026-05-17T21:14:00",
        "2026-05-17T21:15:00Z",
    ]
    assert one.meta == {
        "created_at": "2026-05-17T21:14:05",
        "model": "local-7b",
        "original": {"created_at": "2026-05-17@21h14m05s"},
        "character": "Juniper",
    }


def test_a_broken_line_spoils_a_sillytavern_chat() -> None:
    good = {"name": "Robin", "is_user": True, "mes": "Hi"}
    write("s.jsonl", lines(good) + b"{\n" + lines(good))
    _, told = read("s.jsonl")
    expected = "one of its messages could not be read; this conversation is not audited"
    assert told == f"error: s.jsonl:1 conversation s.jsonl#1: {expected}"
