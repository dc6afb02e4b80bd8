#!/bin/sh
# Audits logs night after night and fails only on what is new, under cron or any other scheduler:
#
#     nightly.sh STATE LOG... [OPTION]...
#
# STATE is a folder that is kept from one night to the next. It holds the votes already cast, the
# run that the next one is compared with, and the evidence of this run with all its reports, beside
# that of the one before (evidence.before). A run that could not start leaves no evidence,
# and one that was cut short leaves evidence.incomplete.
# Options go to chaperone audit, whose exit code this has: 10 for new blocks, 11 for conversations
# that are newly undecided, 3 for input that could not be read. The first night, everything is new.
set -eu

state=${1:?name the folder that is kept between nights}
shift
mkdir -p "$state"
rm -rf "$state/changes.json" "$state/changes.md" "$state/evidence.incomplete" \
    "$state/changes.incomplete.json" "$state/changes.incomplete.md"
# Whoever posts or uploads the evidence afterwards must not take last night's for this night's.
if [ -d "$state/evidence" ]; then
    rm -rf "$state/evidence.before"
    mv "$state/evidence" "$state/evidence.before"
fi
if [ -f "$state/last.json" ]; then
    set -- "$@" --baseline "$state/last.json" \
        --changes "$state/changes.json" --changes "$state/changes.md"
fi

code=0
chaperone audit "$@" --store "$state/votes.sqlite3" --output "$state/evidence/" || code=$?

# Only a run that came to its end is compared with: after half a run, the rest would look new.
# A detached batch exits with 11 too, and has no report yet: the next night collects its votes.
case $code in
0 | 10 | 11)
    if [ -f "$state/evidence/report.json" ]; then
        cp "$state/evidence/report.json" "$state/last.json.part"
        mv "$state/last.json.part" "$state/last.json"
    fi
    ;;
esac
exit $code
