"""One sample: y = (t1, c1, r1, …, tk, ck, rk, a).

The model's text streams until a code block closes; the block runs in the sample's own child kernel;
its result goes back; the model goes on until it concludes or a limit ends it. Every way to end is a
typed status; nothing disappears.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from ..answers import Canonical, canonical, extract_answer, extract_code
from ..answers.expected import as_expected, reason_against
from ..backend.dialects import Conversation
from ..backend.turns import SampleEntropy, TurnReader
from ..events import AnswerRead, Noticed, SampleEnded, SampleStarted, VerificationEnded
from ..in_words import number_of
from ..voting import Ballot, BlockBallot, SampleOutcome, SampleStatus
from ..voting.ballots import LOST
from .asking import Asker, SampleEnd
from .blocks import BlockValue, read_blocks
from .cells import Notebook
from .context import RunContext
from .replaying import Claim, replay
from .seeds import derive_seed
from .verification import Verified, asks_for_rounding, final_value, without_replay

LAST_WORDS_S = 0.5
"""Seconds that a sample which the run ends may take to read the answer that it has."""

MOST_UNREAD_CHARS = 200


class Sample:
    """One independent attempt; `run` gives its end, whatever happens."""

    def __init__(self, context: RunContext, index: int) -> None:
        self.index = index
        self._context = context
        self._seed = derive_seed(context.seed, "sample", index)
        self._notebook = Notebook(context, index, self._seed)
        self._asker = Asker(context, index, self._seed, self._notebook.warm)
        self._entropy = SampleEntropy(context.config.entropy_window)
        self._raw: str | None = None
        self._answer: Canonical | None = None
        self._verified: Verified | None = None
        self._blocks: tuple[BlockBallot, ...] = ()
        self._ended: SampleEnd | None = None

    async def run(self) -> SampleEnded:
        """Run to the end; being cancelled is an outcome as well, with what there is by then.

        Returns
        -------
        SampleEnded
            For who counts it to emit: a record then tells in which order samples were counted.
        """
        self._context.journal.emit(
            SampleStarted(
                title=f"sample {self.index + 1}: started", sample=self.index, sample_seed=self._seed
            )
        )
        outcome: SampleOutcome | None = None
        try:
            async with self._notebook:
                outcome = await self._conclude()
        except asyncio.CancelledError:
            if not self._context.ending:
                raise
            # It may have ended by itself before, and only its kernel had not.
            outcome = outcome or await self._when_cancelled()
        return SampleEnded(
            title=f"sample {self.index + 1}: {outcome.status}",
            detail=outcome.reason,
            tokens_out=outcome.tokens,
            outcome=outcome,
            turns=self._asker.turns,
            cells=len(self._notebook.cells),
            entropy=self._entropy.total,
            windows=self._entropy.windows if outcome.ballot or outcome.blocks else None,
        )

    async def _conclude(self) -> SampleOutcome:
        try:
            return await self._answer_and_vote()
        except SampleEnd as end:
            if end.status not in LOST:
                self._ended = end
                await self._judge_blocks()
            return self._without_ballot(end.status, end.reason)

    async def _answer_and_vote(self) -> SampleOutcome:
        mode = self._context.config.mode
        if mode == "tir":
            raw = await self._reason_with_code()
        elif mode == "blocks":
            raw = await self._run_all_blocks()
        else:
            raw = self._read(await self._ask(Conversation(self._problem), scans_code=False))
        self._raw = raw
        answer = await self._understand(raw)
        reason = reason_against(answer, raw, self._context.expected)
        if reason is not None:
            raise SampleEnd("unexpected-answer", reason)
        return self._vote(answer, raw, await self._verify(raw))

    @property
    def _problem(self) -> str:
        return self._context.problem.text

    async def _ask(self, conversation: Conversation, *, scans_code: bool) -> TurnReader:
        reader = await self._asker.ask(conversation, scans_code=scans_code)
        self._entropy.add(reader)
        if reader.finish == "length" and reader.cut is None:
            raise SampleEnd("token-limit", "Its text was cut at the token limit.")
        return reader

    async def _reason_with_code(self) -> str:
        conversation = Conversation(self._problem)
        most = self._context.config.max_turns
        for turn in range(most):
            reader = await self._ask(conversation, scans_code=True)
            if reader.cut is None or reader.cut.kind != "code":
                return self._read(reader)
            if turn + 1 < most:
                shown = await self._notebook.run(reader.cut.code, turn)
                conversation = conversation.after(reader.text, shown)
        raise SampleEnd("turn-limit", f"After {number_of(most, 'turn')} it still wrote code.")

    async def _run_all_blocks(self) -> str:
        """Run the blocks of the one reply; the last one's value is the answer, if it has one.

        Where blocks vote for themselves the answer is the text's.
        """
        reader = await self._ask(Conversation(self._problem), scans_code=False)
        config, value = self._context.config, None
        blocks = extract_code(reader.text, dialect=self._context.backend.dialect.name)
        for block in blocks[: config.max_blocks]:
            await self._notebook.run(block.code, 0)
            value = final_value(self._notebook.cells[-1].result)
        await self._notebook.close()
        if len(blocks) > config.max_blocks:
            # What the last block would have ended in is not known.
            value = None
            self._notice(
                f"of its {len(blocks)} code blocks only the first {config.max_blocks} were run: "
                "max_blocks allows no more."
            )
        if value is not None and config.policy != "blocks":
            return value
        return self._read(reader)

    def _notice(self, words: str) -> None:
        self._context.journal.emit(
            Noticed(title="notice", detail=f"Sample {self.index + 1}: {words}")
        )

    def _read(self, reader: TurnReader) -> str:
        answer = extract_answer(
            reader.text,
            dialect=self._context.backend.dialect.name,
            kind=self._context.config.answer,
        )
        if answer is None:
            raise SampleEnd("no-answer", "It ended without a final answer.")
        return answer.raw

    async def _understand(self, raw: str) -> Canonical:
        """Read the answer as mathematics, once."""
        if self._answer is None:
            kind = self._context.config.answer
            read = await self._context.reading.call(canonical, raw, kind=kind)
            self._answer = as_expected(read, self._context.expected)
            self._context.journal.emit(
                AnswerRead(
                    kind="code",
                    decided_by="model",
                    title=f"sample {self.index + 1}: answer {self._answer.shown}",
                    sample=self.index,
                    raw=raw,
                    key=self._answer.key,
                    shown=self._answer.shown,
                )
            )
        return self._answer

    async def _judge_cells(self, raw: str) -> Verified:
        """Say how far the cells as they ran stand behind the answer, once."""
        if self._verified is None:
            cells = self._notebook.cells
            self._verified = await self._context.reading.call(
                without_replay, cells, raw, rounded=asks_for_rounding(self._problem)
            )
        return self._verified

    async def _verify(self, raw: str) -> Verified:
        # Others may want its place while the cells are judged.
        await self._notebook.close()
        verified = await self._judge_cells(raw)
        claims = []
        if verified.level == "computed" and verified.cell is not None:
            claims = [Claim(verified.cell, raw, asks_for_rounding(self._problem))]
        replayed = await self._judge_blocks(claims)
        verified = replayed[0] if replayed else verified
        self._context.journal.emit(
            VerificationEnded(
                title=f"sample {self.index + 1}: {verified.level}",
                detail=verified.reason,
                sample=self.index,
                verification=verified.level,
                reason=verified.reason,
                cells=verified.cells,
            )
        )
        return verified

    async def _judge_blocks(self, claims: Sequence[Claim] = ()) -> list[Verified]:
        """Replay the cells once, for these claims and for the blocks, where those have votes.

        Returns
        -------
        list of Verified
            What became of the claims; nothing where nothing is replayed.
        """
        cells, config = self._notebook.cells, self._context.config
        blocks: tuple[BlockValue, ...] = ()
        if cells and "blocks" in (config.mode, config.policy):
            blocks = await self._context.reading.call(
                read_blocks, cells, self._context.expected, most=config.max_blocks
            )
        own = {
            block: Claim(block.block, block.raw)
            for block in blocks
            if block.verified.level == "computed"
        }
        every = [*claims, *own.values()]
        if not config.verify or not every:
            self._blocks = tuple(self._block_ballot(block, block.verified) for block in blocks)
            return []
        # The sample's own kernel gives its place back before the replay waits for one.
        await self._notebook.close()
        verified = await replay(self._context, self._seed, cells, every)
        found = dict(zip(every, verified, strict=True))
        self._blocks = tuple(
            self._block_ballot(block, found[own[block]] if block in own else block.verified)
            for block in blocks
        )
        return verified[: len(claims)]

    def _block_ballot(self, block: BlockValue, verified: Verified) -> BlockBallot:
        return BlockBallot(
            block=block.block, ballot=self._ballot(block.answer, block.raw, verified)
        )

    def _ballot(self, answer: Canonical, raw: str, verified: Verified) -> Ballot:
        return Ballot(
            answer=answer,
            raw=raw,
            verification=verified.level,
            verification_reason=verified.reason,
            entropy=self._entropy.total.mean,
            tokens=self._asker.tokens,
        )

    def _vote(self, answer: Canonical, raw: str, verified: Verified) -> SampleOutcome:
        return SampleOutcome(
            sample=self.index,
            status="answered",
            tokens=self._asker.tokens,
            ballot=self._ballot(answer, raw, verified),
            blocks=self._blocks,
        )

    async def _when_cancelled(self) -> SampleOutcome:
        """What is left of a sample that the run ended.

        An answer that only waited for its replay votes unreplayed, but not when a stop rule fired:
        the rule spoke of the ballots that it saw.
        """
        ending, unread = self._context.ending, ""
        if self._ended is not None and ending != "rule":
            # It had concluded, and only its blocks were not judged yet.
            return self._without_ballot(self._ended.status, self._ended.reason)
        if self._raw is not None and ending != "rule":
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORDS_S):
                    await self._understand(self._raw)
                    await self._judge_cells(self._raw)
            if self._answer is not None:
                return self._vote_as_it_stands(self._answer, self._raw)
            unread = f" Its answer was still being read: {self._raw[:MOST_UNREAD_CHARS]}"
        if ending == "deadline":
            seconds = self._context.config.deadline
            return self._without_ballot("deadline", f"The run's {seconds:g} s were over.{unread}")
        why = {"rule": "a stop rule fired", "lost": "the server had lost all samples before it"}
        words = why.get(ending, "the run was stopped")
        return self._without_ballot("cancelled", f"Cancelled: {words}.{unread}")

    def _vote_as_it_stands(self, answer: Canonical, raw: str) -> SampleOutcome:
        """Vote without a replay, and without what was not known in time of the cells."""
        reason = reason_against(answer, raw, self._context.expected)
        if reason is not None:
            return self._without_ballot("unexpected-answer", reason)
        verified = self._verified or Verified("none", "the run ended before its code was judged")
        if verified.level == "computed" and self._context.config.verify:
            verified = Verified("computed", "the run ended before the replay did")
        return self._vote(answer, raw, verified)

    def _without_ballot(self, status: SampleStatus, reason: str) -> SampleOutcome:
        return SampleOutcome(
            sample=self.index,
            status=status,
            reason=reason,
            tokens=self._asker.tokens,
            blocks=self._blocks,
        )
