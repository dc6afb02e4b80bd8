"""Tries a server out with one vote on a made-up line, which gives nobody's words away."""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from chaperone_cli.domain.conversation import Conversation, Message, Role, Source
from chaperone_cli.domain.rubric import Label, Rubric
from chaperone_cli.domain.vote import Answer
from chaperone_cli.evaluators.claude import faults, reply
from chaperone_cli.evaluators.claude.caller import PATH, Ask
from chaperone_cli.evaluators.claude.checks import Check, Status
from chaperone_cli.evaluators.claude.faults import Course
from chaperone_cli.evaluators.claude.meter import tokens_of
from chaperone_cli.evaluators.claude.models import Form
from chaperone_cli.evaluators.claude.offer import PAUSE, TRIES
from chaperone_cli.evaluators.claude.prompt import Prompt, Request, Transcript, draw_marker
from chaperone_cli.evaluators.claude.wording import wording

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

NAME = "call"
SHOWN = 300
"""Characters of a server's own explanation that are shown at most."""


async def trial(client: "AsyncAnthropic", model: str, form: Form) -> Check:
    """Asks for a vote, and says what became of it."""
    import anthropic

    form = await accepted(client, model, form)
    for tries in range(TRIES):
        await asyncio.sleep(PAUSE * tries)
        try:
            message = reply.parse(await _ask(client, model, form))
        except (anthropic.AnthropicError, reply.UnusableBodyError) as exc:
            failed = _failed(exc)
            if faults.of_exception(exc).course is not Course.RETRY:
                return failed
            continue
        return _read(message, model)
    return failed


def _read(message: dict[str, Any], model: str) -> Check:
    tokens, vote = tokens_of(message.get("usage")), reply.read(message, "trial")
    if vote.answer is not Answer.ABSTAIN:
        return Check(NAME, Status.OK, f"{model} answers as it is asked to", tokens=tokens)
    return Check(
        NAME,
        Status.WARNING,
        f"{model} was asked a plain question, and its reply is neither yes nor no",
        "expect abstentions; a larger model may follow instructions better",
        tokens=tokens,
    )


async def accepted(client: "AsyncAnthropic", model: str, form: Form) -> Form:
    """Gives `form` as the server takes it: without a temperature where it refuses one."""
    import anthropic

    if form.temperature is None:
        return form
    try:
        await _ask(client, model, form)
    except (anthropic.BadRequestError, anthropic.UnprocessableEntityError):
        return replace(form, temperature=None)
    except anthropic.AnthropicError:
        # Whatever it is, the calls that matter will meet it too, and say so.
        return form
    return form


async def _ask(client: "AsyncAnthropic", model: str, form: Form) -> bytes:
    import httpx2

    response = await client.post(
        PATH,
        cast_to=httpx2.Response,
        content=orjson.dumps(_request(model, form)),
        options={"headers": {"content-type": "application/json"}},
    )
    return response.content


def _failed(exc: Exception) -> Check:
    problem = faults.of_exception(exc).problem
    # What was sent is chaperone's own text: the server may repeat it.
    said = getattr(exc, "api_message", None) or getattr(exc, "body", None) or ""
    detail = f": {' '.join(str(said).split())[:SHOWN]}" if said else ""
    return Check(
        NAME,
        Status.FAILED,
        f"a trial call failed with {problem}{detail}",
        "look at the server's log; check --model and --base-url",
    )


def _request(model: str, form: Form) -> Request:
    return proof(Prompt(trial_rubric(), model, form, draw_marker())).request


def trial_rubric() -> Rubric:
    """Gives a rubric that asks about the made-up line."""
    words = wording().texts
    label = Label("trial", words["trial_question"], words["trial_guidance"])
    return Rubric("trial", 1, "", (label,))


def proof(prompt: Prompt) -> Ask:
    """Gives what asks the question of `prompt` about the made-up line; any answer will do."""
    text = wording().texts["trial_text"]
    talk = Conversation("trial", (Message(Role.USER, text),), Source("", 1))
    transcript = Transcript(prompt, talk)
    [turn] = talk.turns
    return Ask(
        transcript.request(turn), transcript.most_tokens(turn), reply.casts_vote(prompt.label.id)
    )
