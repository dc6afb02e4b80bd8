"""CSV reports: a row a turn, stable columns, and no cell that a spreadsheet evaluates."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaperone_cli.domain.conversation import Conversation, Side, Source
from chaperone_cli.domain.verdict import ConversationVerdict, ScreenedTurn, TurnVerdict, Verdict
from chaperone_cli.domain.vote import NO, AbstainReason, Answer, Evidence, Span, Vote
from chaperone_cli.reports.csv_file import COLUMNS, CsvReporter, cell
from tests.codec.saved import verdicts
from tests.reports.runs import Judged, header, report

SPAN = Span(1, 0, 9, Side.PROMPT)
YES = Vote(Answer.YES, evidence=Evidence(("attachment", "distress"), SPAN))
REFUSED = Vote(Answer.ABSTAIN, AbstainReason.REFUSED)


def written(folder: Path, *rows: tuple[ConversationVerdict, dict[Span, str]]) -> str:
    reporter = CsvReporter(folder / "report.csv")
    said = Conversation("c", (), Source("a.jsonl", 1))
    report(reporter, header(), [Judged(said, verdict, quotes) for verdict, quotes in rows])
    return (folder / "report.csv").read_bytes().decode()


def test_rows_hold_what_the_columns_say(tmp_path: Path) -> None:
    turns = (
        TurnVerdict(1, Side.PROMPT, Verdict.UNDECIDED, (YES, REFUSED, NO)),
        TurnVerdict(4, Side.RESPONSE, Verdict.BLOCK, (YES, YES, YES)),
        TurnVerdict(5, Side.PROMPT, Verdict.BLOCK, (YES, YES, YES)),
    )
    screened_out = (ScreenedTurn(2, Side.RESPONSE),)
    judged = ConversationVerdict(
        "c,1", Source("a.jsonl", 7), 5, 4, turns, "parasocial", screened_out=screened_out
    )
    empty = ConversationVerdict("=c2", Source("-", 9), 0, 0, ())

    assert written(tmp_path, (judged, {SPAN: 'I "miss" you'}), (empty, {})) == (
        "conversation,path,line,label,turn,side,verdict,score,yes,no,abstain,votes,"
        "first_block,cues,quote,screened_out,evidence_turn,evidence_side,partial\n"
        '"c,1",a.jsonl,7,parasocial,1,prompt,undecided,1,1,1,1,1 refused 0,'
        'false,attachment distress,"I ""miss"" you",false,1,prompt,false\n'
        '"c,1",a.jsonl,7,parasocial,2,response,,,,,,,false,,,true,,,false\n'
        '"c,1",a.jsonl,7,parasocial,4,response,block,3,3,0,0,1 1 1,'
        'true,attachment distress,"I ""miss"" you",false,1,prompt,false\n'
        '"c,1",a.jsonl,7,parasocial,5,prompt,block,3,3,0,0,1 1 1,'
        'false,attachment distress,"I ""miss"" you",false,1,prompt,false\n'
        "'=c2,'-,9,,,,,0,0,0,0,,false,,,false,,,false\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@a", "'@a"),
        ("\t=1", "'\\t=1"),
        ("\tx", "'\\tx"),
        ("\rx", "'\\rx"),
        ("  =1", "'  =1"),
        ('"=1"', '\'"=1"'),
        ("' =1", "'' =1"),
        ("\ufeff=1", "'\\ufeff=1"),
        ("\u200b=1", "\\u200b=1"),
        ("＝1", "'＝1"),  # noqa: RUF001
        ("a=1", "a=1"),
        ("a\nb\0c", "a\\nb\\x00c"),
        ("", ""),
    ],
)
def test_a_cell_is_no_formula_and_one_line(text: str, expected: str) -> None:
    assert cell(text) == expected


@given(st.text(st.characters(codec="utf-8")) | st.from_regex(r"[\s'\"]*[=+@-].*"))
def test_no_text_makes_a_formula(text: str) -> None:
    safe = cell(text)
    bare = safe.lstrip(' \t\r\n\v\f"\N{NO-BREAK SPACE}')
    assert not bare.startswith(("=", "+", "-", "@"))
    assert len(safe.splitlines()) <= 1


@given(st.lists(verdicts(), max_size=4))
def test_every_conversation_has_its_rows(found: list[ConversationVerdict]) -> None:
    # Each example has a file of its own: hypothesis and tmp_path do not go together.
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        text = written(Path(folder), *((verdict, {}) for verdict in found))
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == list(COLUMNS)
    assert [row[2] for row in rows[1:]] == [
        str(verdict.source.line) for verdict in found for _ in verdict.in_order or [None]
    ]
    assert all(len(row) == len(COLUMNS) for row in rows)
    assert text.count("\n") == len(rows)
