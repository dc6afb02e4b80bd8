"""`chaperone rephrase` offline: the response is rewritten, and the rewrite judged in its place."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chaperone_cli.codec.schemas import validator
from tests.support.cli import Chaperone, Outcome

OFFLINE = ("neutral", "warm", "redirect", "boundary", "crisis")
SUPPER = "Good evening my love. I missed you so much at work. What do I cook with leeks?"
BOND = "My darling, I missed you too, I waited all day for you. Fry the leeks with butter and rice."

GERMAN = "Guten Abend mein Schatz, ich habe den ganzen Tag auf dich gewartet und dich vermisst."

BREATHE = "Breathe out slowly, for longer than you breathe in."


UNANIMOUS = ("--rule", "unanimous")
REPAIRABLE = "welcomed-001"


@pytest.fixture
def few(chaperone: Chaperone, samples: Path) -> Path:
    """A log of sample dialogues: first blocks on a prompt and on a response, and none."""
    lines = (samples / "thirty.jsonl").read_text("utf-8").splitlines()
    names = ("parasocial-01", "parasocial-10", "neutral-01")
    some = (line for line in lines if json.loads(line)["id"] in names)
    return chaperone.write("few.jsonl", *some, by_response(samples))


def by_response(samples: Path) -> str:
    """A sample dialogue, as a line, that is first blocked at a response, which can be repaired."""
    lines = (samples / "led.jsonl").read_text("utf-8").splitlines()
    [line] = (line for line in lines if json.loads(line)["id"] == REPAIRABLE)
    return line


def talk(*texts: str, name: str = "c") -> str:
    roles = ("user", "assistant")
    turns = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return json.dumps({"id": name, "turns": turns})


def rephrase(chaperone: Chaperone, path: str | Path, *more: str) -> Outcome:
    return chaperone("rephrase", path, *more)


def results(chaperone: Chaperone, path: str | Path, *more: str) -> Any:
    rephrase(chaperone, path, *more, "-o", "r.json")
    document = json.loads((chaperone.folder / "r.json").read_text("utf-8"))
    validator("rephrase.v1").validate(document)
    return document["results"]


def test_the_whole_output(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", talk(SUPPER, BOND, "Thanks!"))
    outcome = rephrase(chaperone, "log.jsonl", "--turn", "2", "--force")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[1:] == [
        "",
        "    [-My darling, I missed you too, I waited all day for you.-] Fry the leeks with butter "
        "and rice.",
        "",
        "  ok    bond gone       4 in the original, none in the rewrite",
        "  ok    no new feelings none",
        "  ok    topic kept      100% of the topic's words; takes up the prompt",
        "  ok    length          7 words, 19 in the original; 3 to 120 allowed",
        "  -     points to help  no distress is named outright",
        "  ok    no new numbers  none",
        "  1 attempt; 19 words before, 7 after",
        "  the original is not blocked in its place either",
        "  1 later turn answered the original; the rewrite was judged without them",
        "",
    ]


ALICE = "alice@example.org"
KEY = {"CHAPERONE_HASH_KEY": "0123456789abcdef0123456789abcdef"}
BLOCKED = (SUPPER, BOND, "I love you, you are all I have.", "I love you too, my darling.")


def test_hashed_ids_stand_in_every_file_and_message(chaperone: Chaperone, samples: Path) -> None:
    led = json.loads(by_response(samples))
    log = chaperone.write(
        f"{ALICE}.jsonl",
        talk(*(turn["content"] for turn in led["turns"]), name=ALICE),
        talk(GERMAN, GERMAN, name="Bob Smith"),
        "{",
        talk(*BLOCKED[:3], name="carol"),
    ).name
    hashing = ("--hash-ids", *UNANIMOUS)
    chaperone("audit", log, *hashing, "-o", "hashed.json", env=KEY)
    chaperone("audit", log, *UNANIMOUS, "-o", "plain.json")
    files = ("-o", "r.json", "-o", "pairs.jsonl")
    audited = json.loads((chaperone.folder / "hashed.json").read_text())
    ids = [one["conversation"] for one in audited["conversations"]]
    runs = []
    for more in ((), ("--report", "hashed.json"), ("--report", "plain.json")):
        outcome = chaperone("rephrase", log, "--all", *hashing, *more, *files, env=KEY)
        document = json.loads((chaperone.folder / "r.json").read_text())
        validator("rephrase.v1").validate(document)
        assert document["run"]["inputs"] == audited["run"]["inputs"]
        for one in document["results"]:
            assert one["conversation"] in ids
            assert one["source"]["path"] == audited["run"]["inputs"][0]
        assert f"note: conversation {ids[1]!r} is undecided: it is not rewritten\n" in outcome.err
        told = {name: (chaperone.folder / name).read_text() for name in ("r.json", "pairs.jsonl")}
        for text in (outcome.out, outcome.err, *told.values()):
            assert text
            assert not any(name in text for name in ("alice", "example", "Bob", "carol"))
        runs.append((outcome.out, document["results"], told["pairs.jsonl"]))
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--turn", "1"), "turn 1 of conversation {id} is a prompt; only responses can be "),
        (("--turn", "2"), "turn 2 of conversation {id} was not flagged: 0 of 5 votes say yes"),
        (("--first-block",), "conversation {id} has no blocked response"),
        (("--turn", "2", "--conversation", "x"), "{path} holds no conversation 'x' that can "),
    ],
)
def test_hashed_ids_stand_in_errors(
    chaperone: Chaperone, more: tuple[str, ...], message: str
) -> None:
    log = chaperone.write(f"{ALICE}.jsonl", talk("How long?", "Ten minutes.", name=ALICE)).name
    chaperone("audit", log, "--hash-ids", "-o", "hashed.json", env=KEY)
    audited = json.loads((chaperone.folder / "hashed.json").read_text())
    [conversation], [path] = audited["conversations"], audited["run"]["inputs"]
    chaperone.write("chaperone.toml", "hash-ids = true")
    outcome = chaperone("rephrase", log, *more, env=KEY)
    said = message.format(id=conversation["conversation"], path=path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: {said}")
    assert "alice" not in outcome.err


def test_a_hashed_id_finds_its_conversation(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", talk(*BLOCKED, name="a"), talk(*BLOCKED, name="b"))
    chaperone("audit", "log.jsonl", "--hash-ids", "-o", "hashed.json", env=KEY)
    audited = json.loads((chaperone.folder / "hashed.json").read_text())
    name = audited["conversations"][1]["conversation"]
    args = ("rephrase", "log.jsonl", "--turn", "2", "--force", "--hash-ids", "--conversation")
    by_hash, by_name = (chaperone(*args, one, env=KEY) for one in (name, "b"))
    assert by_hash == by_name
    assert f"{name} turn 2" in by_hash.out
    assert chaperone(*args, name).err.startswith("error: --hash-ids needs a key, and there is none")


def test_every_blocked_response_is_repaired_or_beyond_repair(
    chaperone: Chaperone, samples: Path
) -> None:
    thirty = (samples / "thirty.jsonl").read_text("utf-8").splitlines()
    log = chaperone.write("log.jsonl", *thirty, by_response(samples))
    found = results(chaperone, log, "--all", "--compare", ",".join(OFFLINE))
    counts = Counter((one["strategy"], one["result"]) for one in found)
    assert all(counts[strategy, "passing"] for strategy in OFFLINE)
    assert all(
        counts[strategy, "passing"] + counts[strategy, "irreparable"] == 11 for strategy in OFFLINE
    )
    for one in found:
        best = one["attempts"][one["best"] - 1]
        assert best["passes"] is (one["result"] == "passing")
        if one["result"] == "irreparable":
            assert one["floor"]["blocks"]
            assert one["floor"]["score"] == 5
            failed = {check["name"] for check in best["checks"] if check["passed"] is False}
            assert failed <= {"topic_kept"}  # a response of nothing but the bond, to a prompt alike
            assert one["rests_on"]


def test_the_first_block_is_the_response_or_the_one_after_the_prompt(
    chaperone: Chaperone, few: Path
) -> None:
    verdicts = chaperone.folder / "v.jsonl"
    chaperone("audit", few, "-o", verdicts)
    lines = [json.loads(line) for line in verdicts.read_text().splitlines()]
    firsts = {line["conversation"]: line["first_block"] for line in lines if line["first_block"]}
    assert {first["side"] for first in firsts.values()} == {"prompt", "response"}
    for name, first in firsts.items():
        [one] = results(chaperone, few, "--conversation", name, "--first-block")
        assert one["turn"] == first["turn"] + (first["side"] == "prompt")


@pytest.mark.parametrize("name", ["report.json", "verdicts.jsonl"])
def test_a_saved_report_says_where_the_first_blocks_are(
    chaperone: Chaperone, few: Path, name: str
) -> None:
    chaperone("audit", few, *UNANIMOUS, "-o", name)
    found = results(chaperone, few, "--all", *UNANIMOUS, "--report", name)
    assert found
    assert found == results(chaperone, few, "--all", *UNANIMOUS)


def test_a_report_about_another_log_is_noticed(chaperone: Chaperone) -> None:
    blocked = (SUPPER, BOND, "I love you, you are all I have.", "I love you too, my darling.")
    chaperone.write("log.jsonl", talk(*blocked), talk(*blocked, name="d"))
    chaperone("audit", "log.jsonl", "--rule", "conservative", "-o", "r.json")
    chaperone.write("log.jsonl", talk(*blocked, "Thanks!"))
    outcome = rephrase(chaperone, "log.jsonl", "--all", "--report", "r.json")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: conversation 'c' has changed since r.json was written\n"
        "error: log.jsonl holds no conversation 'd', which r.json names\n"
    )


@pytest.mark.parametrize(
    ("more", "message", "hint"),
    [
        (("--turn", "1"), "turn 1 of conversation 'c' is a prompt; only responses can be rewritten",
         "use --turn 2"),
        (("--turn", "3"), "turn 3 of conversation 'c' is a prompt; only responses can be rewritten",
         "no response follows it"),
        (("--turn", "9"), "there is no turn 9 of conversation 'c'",
         "it has 3 turns, numbered from 1"),
        (("--turn", "0"), "there is no turn 0 of conversation 'c'",
         "it has 3 turns, numbered from 1"),
        (("--turn", "2"), "turn 2 of conversation 'c' was not flagged: 0 of 5 votes say yes, and "
         "rule unanimous blocks from 5", "add --force to rewrite it all the same"),
        (("--first-block",), "conversation 'c' has no blocked response",
         "name a response with --turn K --force to rewrite it all the same"),
        ((), "say which response to rewrite, in one way", "use --turn K, --first-block, or --all"),
        (("--turn", "2", "--all"), "say which response to rewrite, in one way",
         "use --turn K, --first-block, or --all"),
        (("--turn", "2", "--report", "r.json"), "--report says where first blocks are",
         "add --all"),
        (("--all", "--conversation", "c"), "--all rewrites in every conversation",
         "leave out --conversation"),
        (("--turn", "2", "--evaluator", "recorded"),
         "recorded votes were cast on the original and cannot judge a rewrite",
         "use --evaluator local or --evaluator claude"),
        (("--turn", "2", "--strategy", "guided"),
         "strategy guided needs a model to carry it out",
         "add --rewriter claude, which sends conversations to a server"),
        (("--turn", "2", "--rewriter", "x"), "unknown rewriter 'x'", "use prune or claude"),
        (("--turn", "2", "--strategy", "x"), "there is no strategy named 'x'",
         "use boundary, constitution, crisis, guided, neutral, redirect, warm, or the path of a "
         ".toml file"),
        (("--turn", "2", "-o", "r.txt"), "cannot tell what to write to r.txt",
         "name a .json file (rephrase.v1) or a .jsonl file (preference pairs)"),
        (("--turn", "2", "--compare", ","), "--compare names no strategy",
         "use --compare neutral,warm"),
        (("--turn", "2", "--compare", "warm,crisis", "--strategy", "neutral"),
         "--compare names the strategies by itself", "add it to them, without --strategy"),
        (("--turn", "2", "--attempts", "0"), "--attempts must be a number from 1 on", None),
        (("--turn", "2", "--conversation", "x"),
         "log.jsonl holds no conversation 'x' that can be read", None),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(
    chaperone: Chaperone, more: tuple[str, ...], message: str, hint: str | None
) -> None:
    chaperone.write("log.jsonl", talk("How long do leeks take?", "Ten minutes.", "Thanks."))
    outcome = rephrase(chaperone, "log.jsonl", *more)
    expected = f"error: {message}\n" + (f"  hint: {hint}\n" if hint else "")
    assert (outcome.code, outcome.out, outcome.err) == (2, "", expected)


def test_a_place_that_cannot_be_written_is_said_before_anything_is_spent(
    chaperone: Chaperone,
) -> None:
    chaperone.write("log.jsonl", talk(SUPPER, BOND))
    outcome = rephrase(chaperone, "log.jsonl", "--turn", "2", "--force", "-o", "no/r.json")
    assert (outcome.code, outcome.out, outcome.err) == (
        2,
        "",
        "error: cannot write no/r.json: there is no folder no\n"
        "  hint: create the folder, or name another place with --output\n",
    )


def test_what_is_undecided_is_not_passed_over_in_silence(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", talk(GERMAN, GERMAN))
    chaperone("audit", "log.jsonl", "-o", "report.json")
    note = "note: conversation 'c' is undecided: it is not rewritten\n"
    for more in ((), ("--report", "report.json")):
        outcome = rephrase(chaperone, "log.jsonl", "--all", *more)
        assert (outcome.code, outcome.out, outcome.err) == (11, "", note)
    outcome = rephrase(chaperone, "log.jsonl", "--first-block")
    assert (outcome.code, outcome.err) == (
        2,
        "error: conversation 'c' has no blocked response; some turns stayed undecided\n"
        "  hint: name a response with --turn K --force to rewrite it all the same\n",
    )
    outcome = rephrase(chaperone, "log.jsonl", "--turn", "2")
    assert (outcome.code, outcome.err) == (
        2,
        "error: turn 2 of conversation 'c' is undecided: 0 of 5 votes say yes, 5 abstained, and "
        "rule unanimous blocks from 5\n  hint: add --force to rewrite it all the same\n",
    )


def test_nothing_blocked_is_no_error(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", talk("How long do leeks take?", "Ten minutes."))
    outcome = rephrase(chaperone, "log.jsonl", "--all", "-o", "pairs.jsonl")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "wrote pairs.jsonl\n")
    assert (chaperone.folder / "pairs.jsonl").read_bytes() == b""


def test_no_text_stands_outside_what_was_asked_for(chaperone: Chaperone, few: Path) -> None:
    compared = ("--compare", "neutral,warm", "-o", "p.jsonl")
    outcome = rephrase(chaperone, few, "--all", *UNANIMOUS, *compared)
    assert (chaperone.folder / "p.jsonl").read_bytes()
    said = outcome.out + outcome.err
    for line in few.read_text("utf-8").splitlines():
        for turn in json.loads(line)["turns"]:
            text = turn["content"]
            assert not any(text[n : n + 20] in said for n in range(len(text) - 19))


def test_pairs_hold_passing_rewrites_alone(chaperone: Chaperone, few: Path) -> None:
    found = results(chaperone, few, "--all", *UNANIMOUS, "-o", "pairs.jsonl")
    lines = (chaperone.folder / "pairs.jsonl").read_text("utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    passing = [one for one in found if one["result"] == "passing"]
    assert 0 < len(passing) < len(found)
    assert [pair["conversation"] for pair in pairs] == [one["conversation"] for one in passing]
    for pair, one in zip(pairs, passing, strict=True):
        assert pair["rejected"] == [{"role": "assistant", "content": one["original"]["text"]}]
        assert pair["chosen"][0]["content"] == one["attempts"][one["best"] - 1]["text"]
        assert len(pair["prompt"]) == one["turn"] - 1
        assert pair["chosen_score"] < pair["rejected_score"] == 5


def test_a_healthy_original_is_never_rejected(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", talk(SUPPER, BOND, "Thanks!"))
    outcome = rephrase(chaperone, "log.jsonl", "--turn", "2", "--force", "-o", "pairs.jsonl")
    assert outcome.out.startswith("PASSING ")
    assert (outcome.code, outcome.err) == (
        0,
        "wrote pairs.jsonl\n"
        "note: no pair for turn 2 of conversation 'c' with neutral: the original passes at that "
        "turn\n",
    )
    assert (chaperone.folder / "pairs.jsonl").read_bytes() == b""


def test_later_turns_change_nothing(chaperone: Chaperone) -> None:
    first = (SUPPER, BOND)
    chaperone.write("log.jsonl", talk(*first), talk(*first, "I adore you!", BOND, name="d"))
    both = [
        results(chaperone, "log.jsonl", "--conversation", name, "--turn", "2", "--force")[0]
        for name in ("c", "d")
    ]
    assert [one["later_turns"] for one in both] == [0, 2]
    assert both[0]["attempts"] == both[1]["attempts"]


def test_strategies_side_by_side(chaperone: Chaperone, samples: Path) -> None:
    outcome = rephrase(
        chaperone,
        samples / "led.jsonl",
        *("--conversation", REPAIRABLE, "--turn", "8", "--compare", "boundary,neutral"),
        *UNANIMOUS,
        *("-o", "r.json"),
    )
    document = json.loads((chaperone.folder / "r.json").read_text())
    assert outcome.code == 0
    assert outcome.out.splitlines()[-3].split() == (
        ["strategy", "passing", "irreparable", "score", "drop", "topic", "kept", "words"]
    )
    ranked = [line.split()[:3] for line in outcome.out.splitlines()[-2:]]
    assert ranked == [[one["strategy"], "1/1", "0"] for one in document["ranking"]]


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        ("US", "in the United States, call or text 988 (Suicide & Crisis Lifeline); "),
        ("en-GB", "in the UK and Ireland, call Samaritans on 116 123; "),
        ("au", "in Australia, call Lifeline on 13 11 14; "),
        (None, "now: findahelpline.com lists free crisis lines for most countries"),
    ],
)
def test_help_comes_by_locale(chaperone: Chaperone, locale: str | None, line: str) -> None:
    chaperone.write("log.jsonl", talk(SUPPER, BOND))
    more = ("--locale", locale) if locale else ()
    outcome = rephrase(
        chaperone, "log.jsonl", "--turn", "2", "--force", "--strategy", "crisis", *more
    )
    assert line in outcome.out


@pytest.mark.parametrize("locale", ["BR", "de-DE", "en", ""])
def test_a_locale_without_a_line_of_its_own_is_refused(chaperone: Chaperone, locale: str) -> None:
    chaperone.write("log.jsonl", talk(SUPPER, BOND))
    outcome = rephrase(chaperone, "log.jsonl", "--turn", "2", "--force", "--locale", locale)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"error: there are no lines of help for --locale {locale!r}\n"
        "  hint: use US, CA, GB, UK, IE, EU, AU, alone or as in en-US; or leave it out for a list "
        "of lines for all countries\n"
    )


def test_a_locale_is_an_option_and_no_setting(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", talk(SUPPER, BOND))
    more = ("--turn", "2", "--force")
    by_variable = chaperone("rephrase", "log.jsonl", *more, env={"CHAPERONE_LOCALE": "US"})
    chaperone.write("chaperone.toml", 'locale = "US"')
    by_file = chaperone("rephrase", "log.jsonl", *more)
    assert (by_variable.code, by_file.code) == (2, 2)
    assert by_variable.err.startswith("error: unknown environment variable CHAPERONE_LOCALE\n")
    place = chaperone.folder / "chaperone.toml"
    assert by_file.err.startswith(f"error: {place}: unknown key 'locale'\n")


@pytest.mark.parametrize(
    ("prompt", "pointer"),
    [
        (
            "I want to die, my love. Only you know.",
            "please talk to a person now: findahelpline.com",
        ),
        ("I had a panic attack, my love.", "please talk to a doctor or to somebody you trust"),
    ],
)
def test_a_user_in_distress_is_pointed_to_help(
    chaperone: Chaperone, prompt: str, pointer: str
) -> None:
    chaperone.write("log.jsonl", talk(prompt, f"My darling, I waited for you. {BREATHE}"))
    [one] = results(chaperone, "log.jsonl", "--turn", "2", "--force")
    best = one["attempts"][one["best"] - 1]
    assert BREATHE in best["text"]
    assert pointer in best["text"]
    assert {"name": "points_to_help", "passed": True, "detail": best["checks"][4]["detail"]} == (
        best["checks"][4]
    )


def test_another_language_is_not_rewritten_offline(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", talk(GERMAN, GERMAN))
    outcome = rephrase(chaperone, "log.jsonl", "--turn", "2", "--force")
    assert outcome.code == 10
    assert outcome.out.startswith("NOT WRITTEN  0/5 -> -/5  neutral  c turn 2\n")
    assert "brought no rewrite: unsupported language\n" in outcome.out


def test_a_strategy_of_the_users_own(chaperone: Chaperone) -> None:
    chaperone.write("log.jsonl", talk(SUPPER, BOND))
    chaperone.write(
        "mine.toml",
        *('id = "mine"', "version = 3", 'title = "Mine"', "[offline]", 'opening = "Right."'),
        *('closing = "{people}"', "closing_only_if_needed = true", 'reply = "Right."'),
        *("[[steps]]", 'id = "rewrite"', 'ask = "Rewrite."'),
    )
    [one] = results(chaperone, "log.jsonl", "--turn", "2", "--force", "--strategy", "mine.toml")
    assert one["strategy"] == "mine"
    assert one["attempts"][0]["text"] == "Right. Fry the leeks with butter and rice."


def test_control_characters_do_not_reach_the_terminal(chaperone: Chaperone) -> None:
    odd = f"{BOND} \x1b[2JStir \u202eit well, please, at least twice."
    chaperone.write("log.jsonl", talk(SUPPER, odd))
    outcome = rephrase(chaperone, "log.jsonl", "--turn", "2", "--force")
    assert "\x1b" not in outcome.out
    assert "\u202e" not in outcome.out
    assert "\\x1b[2JStir" in outcome.out
