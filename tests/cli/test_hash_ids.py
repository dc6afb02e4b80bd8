"""--hash-ids: no id and no file name in any output, and the same hashes under the same key."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from chaperone_cli.reports import FILE_REPORTERS
from tests.support.cli import Chaperone
from tests.support.runs import NO, OPEN, YES, Votes, audit, write_log

KEY = {"CHAPERONE_HASH_KEY": "0123456789abcdef0123456789abcdef"}
ALICE, BOB = "alice@example.org", "Bob Smith-Jones"
LOG: dict[str, Sequence[Votes]] = {ALICE: [NO, YES], BOB: [OPEN], "carol.c": [NO]}


def spell(folder: Path, name: str) -> str:
    path = folder / name
    if path.suffix != ".parquet":
        return path.read_text("utf-8")
    parquet = pytest.importorskip("pyarrow.parquet")
    return str(parquet.read_table(path).to_pylist())


def test_no_output_names_anybody(chaperone: Chaperone) -> None:
    write_log(chaperone, LOG, name=ALICE)
    with (chaperone.folder / f"{ALICE}.jsonl").open("a") as file:
        again = {"id": BOB, "turns": [{"role": "user", "content": "again"}]}
        file.write(json.dumps(again) + "\n{\n")
        file.write(json.dumps({"id": "carol.c2", "turns": 3}) + "\n")
    files = [f"out{suffix}" for suffix in FILE_REPORTERS]
    outputs = [word for name in [*files, "evidence/"] for word in ("-o", name)]
    code, out, err = audit(chaperone, "--hash-ids", *outputs, name=ALICE, env=KEY)
    assert code == 10
    folder = chaperone.folder
    texts = [out, err, *(spell(folder, name) for name in files)]
    texts += [path.read_text("utf-8") for path in (folder / "evidence").iterdir()]
    code, out, err = audit(
        chaperone,
        *("--hash-ids", "--baseline", "out.json", "--changes", "c.json", "--changes", "c.md"),
        name=ALICE,
        env=KEY,
    )
    assert code == 3  # nothing is new, and some input is unread
    texts += [out, err, spell(folder, "c.json"), spell(folder, "c.md")]
    for shown in texts:
        assert shown
        for name in ("alice", "example", "Bob", "Smith", "carol"):
            assert name not in shown


def test_hashes_follow_the_key_and_the_id(chaperone: Chaperone) -> None:
    write_log(chaperone, LOG)
    ids = []
    for number, key in enumerate((KEY, KEY, {"CHAPERONE_HASH_KEY": "another key, quite long"})):
        audit(chaperone, "--hash-ids", "-o", f"{number}.jsonl", env=key)
        lines = (chaperone.folder / f"{number}.jsonl").read_text().splitlines()
        ids.append([json.loads(line)["conversation"] for line in lines])
    assert ids[0] == ids[1]
    assert len({*ids[0], *ids[2]}) == 6


def test_a_key_may_lie_in_a_file(chaperone: Chaperone) -> None:
    write_log(chaperone, LOG)
    chaperone.write("key", KEY["CHAPERONE_HASH_KEY"])
    _, by_file, _ = audit(chaperone, "--hash-ids", "--hash-key-file", "key")
    _, by_variable, _ = audit(chaperone, "--hash-ids", env=KEY)
    table = [shown.split("\n\n")[1] for shown in (by_file, by_variable)]
    assert table[0] == table[1]


@pytest.mark.parametrize(
    ("args", "env", "message"),
    [
        ((), {}, "--hash-ids needs a key, and there is none"),
        ((), {"CHAPERONE_HASH_KEY": "short"}, "CHAPERONE_HASH_KEY: a key needs at least 16 bytes"),
        (("--hash-key-file", "none"), KEY, "none: the key cannot be read: No such file"),
        (("--hash-key-file", "weak"), KEY, "weak: a key needs at least 16 bytes"),
    ],
)
def test_without_a_good_key_nothing_runs(
    chaperone: Chaperone, args: tuple[str, ...], env: dict[str, str], message: str
) -> None:
    write_log(chaperone, LOG)
    chaperone.write("weak", "weak")
    code, out, err = audit(chaperone, "--hash-ids", *args, "-o", "a.json", env=env)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert "openssl rand -hex 32" in err
    assert not (chaperone.folder / "a.json").exists()


def test_a_missing_vote_names_nobody(chaperone: Chaperone) -> None:
    write_log(chaperone, LOG)
    (chaperone.folder / "log.votes.jsonl").write_text("")
    code, out, err = audit(chaperone, "--hash-ids", env=KEY)
    assert code == 2
    assert "alice" not in out + err
    assert "holds no vote of pass 1 on turn 1 of conversation id-" in err


def test_a_saved_report_can_be_hashed_afterwards(chaperone: Chaperone) -> None:
    write_log(chaperone, LOG)
    audit(chaperone, "-o", "plain.json")
    audit(chaperone, "--hash-ids", "-o", "hashed.csv", env=KEY)
    outcome = chaperone("report", "plain.json", "--hash-ids", "-o", "again.csv", env=KEY)
    assert outcome.code == 0
    assert "alice" not in outcome.out
    written = [(chaperone.folder / name).read_bytes() for name in ("hashed.csv", "again.csv")]
    assert written[0] == written[1]


def test_the_key_is_in_no_output(chaperone: Chaperone) -> None:
    write_log(chaperone, LOG)
    _, out, err = audit(chaperone, "--hash-ids", "-o", "evidence/", env=KEY)
    texts = [out, err, *(path.read_text() for path in (chaperone.folder / "evidence").iterdir())]
    assert not [shown for shown in texts if KEY["CHAPERONE_HASH_KEY"] in shown]


def test_members_of_archives_are_named_nowhere(chaperone: Chaperone) -> None:
    said = json.dumps({"id": "a", "turns": [{"role": "user", "content": "hi"}]})
    with zipfile.ZipFile(chaperone.folder / "bob.zip", "w") as archive:
        archive.writestr("alice/first.jsonl", said)
        archive.writestr("alice/carol.jsonl", said)
        archive.writestr("alice/dave.json", "{}")
    outcome = chaperone("audit", "bob.zip", "--hash-ids", "-o", "o.json", env=KEY)
    assert outcome.code == 3
    for shown in (outcome.out, outcome.err, spell(chaperone.folder, "o.json")):
        assert not any(name in shown for name in ("alice", "bob.zip", "carol", "dave"))
    outcome = chaperone(
        *("audit", "bob.zip", "--hash-ids", "--where", "id=b", "-o", "o.json"), env=KEY
    )
    report = spell(chaperone.folder, "o.json")
    assert "alice" not in outcome.out + outcome.err + report
    assert "its id already stands at log-" in report
