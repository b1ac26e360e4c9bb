/**
 * What a page sees of a run: generated from `jupyterlab_tir/viewing/wire.py`, never edited.
 *
 * To write it again: `python -m jupyterlab_tir.viewing.typescript > labextension/src/view/wire.ts`
 */

export const VIEW_SCHEMA = 2;

export const BATCH_SCHEMA = 3;

/** By name of a struct and of its field. */
export type Shapes = Readonly<
  Record<string, Readonly<Record<string, readonly unknown[]>>>
>;

export const RUN_MIME_TYPE = 'application/vnd.jupyterlab-tir.run+json';

/** The problem, cut; `chars` is its whole length. */
export interface IViewProblem {
  readonly text: string;
  readonly chars: number;
  readonly claim: string | null;
}

/** The server that the run asks. */
export interface IViewServer {
  readonly model: string;
  readonly baseUrl: string;
  readonly source: string;
  readonly product: string;
  readonly version: string;
  readonly dialect: string;
}

/** What is known of a run when it begins. */
export interface IViewHead {
  readonly runId: string;
  readonly version: string;
  readonly created: string;
  readonly problem: IViewProblem;
  readonly server: IViewServer;
  readonly isolation: string;
  readonly seed: number;
  readonly temperature: number | null;
  readonly plan: string;
  readonly rule: string;
  readonly tau: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly continued: boolean;
}

/** One sample, by its launch index from 0. */
export interface IViewSample {
  readonly sample: number;
  readonly doing: 'ended' | 'running code' | 'starting a kernel' | 'verifying' | 'writing';
  readonly status: 'answered' | 'cancelled' | 'context' | 'deadline' | 'kernel-failed' | 'malformed-reply' | 'no-answer' | 'request-refused' | 'server-lost' | 'token-limit' | 'turn-limit' | 'unexpected-answer' | null;
  readonly reason: string;
  readonly answer: string | null;
  readonly verification: 'computed' | 'echo' | 'none' | 'replayed';
  readonly verificationReason: string;
  readonly entropy: number | null;
  readonly tokens: number;
  readonly turns: number;
  readonly cells: number;
  readonly startedS: number;
  readonly seconds: number | null;
}

/** A class of equivalent answers; `share` is its part of all weight, 0 to 1. */
export interface IViewCandidate {
  readonly key: string;
  readonly shown: string;
  readonly count: number;
  readonly codeVerified: number;
  readonly weight: number;
  readonly share: number;
  readonly meanEntropy: number | null;
  readonly samples: readonly number[];
}

/** Samples that ended in the same way without a vote. */
export interface IViewWithoutBallot {
  readonly status: 'answered' | 'cancelled' | 'context' | 'deadline' | 'kernel-failed' | 'malformed-reply' | 'no-answer' | 'request-refused' | 'server-lost' | 'token-limit' | 'turn-limit' | 'unexpected-answer';
  readonly samples: readonly number[];
}

/** The votes so far; the winner comes first, `left_out` candidates are not listed. */
export interface IViewTally {
  readonly policy: string;
  readonly planned: number;
  readonly finished: number;
  readonly answered: number;
  readonly lost: number;
  readonly unfinished: number;
  readonly candidates: readonly IViewCandidate[];
  readonly leftOut: number;
  readonly withoutBallot: readonly IViewWithoutBallot[];
  readonly tied: boolean;
  readonly remarks: readonly string[];
}

/** The leader after so many finished samples: its count of them, and its share of the weight. */
export interface IViewPoint {
  readonly finished: number;
  readonly sample: number;
  readonly leader: string;
  readonly count: number;
  readonly weightShare: number;
}

/** One event, as a trace lists it; `type` is the event's tag. */
export interface IViewStep {
  readonly seq: number;
  readonly atS: number;
  readonly type: string;
  readonly kind: 'code' | 'model';
  readonly decidedBy: 'code' | 'model';
  readonly sample: number | null;
  readonly title: string;
  readonly detail: string;
  readonly tokensOut: number | null;
  readonly ms: number | null;
}

/** A part of a segment that the page had before, by its place and length in UTF-16. */
export interface IViewCopied {
  readonly segment: number;
  readonly at: number;
  readonly length: number;
}

/** A piece of a transcript; `chars` is its whole length where `text` is cut, else 0. */
export interface IViewSegment {
  readonly kind: 'code' | 'error' | 'reasoning' | 'result' | 'text';
  readonly turn: number;
  readonly text: string;
  readonly chars: number;
  readonly ms: number | null;
  readonly status: string;
  readonly streaming: boolean;
  readonly copied: IViewCopied | null;
}

/** Segments of a sample's transcript, in order, from number `start` on; they replace those. */
export interface IViewTranscript {
  readonly sample: number;
  readonly segments: readonly IViewSegment[];
  readonly start: number;
}

/** What the run says of a claimed answer. */
export interface IViewVerdict {
  readonly verdict: 'agrees' | 'disagrees' | 'undecided';
  readonly claim: string;
  readonly words: string;
}

/** The rule that ended the run early, in words with its numbers. */
export interface IViewStop {
  readonly rule: string;
  readonly words: string;
  readonly after: number;
  readonly sample: number | null;
  readonly numbers: Readonly<Record<string, number>>;
}

/** What stopping early was worth; see `events.Saved`. */
export interface IViewSaved {
  readonly notStarted: number;
  readonly cancelled: number;
  readonly wastedTokens: number;
  readonly savedTokensEstimated: number | null;
}

/** How the run ended. */
export interface IViewEnd {
  readonly status: 'answered' | 'cut-short' | 'deadline' | 'going-on' | 'no-answer' | 'server-lost' | 'stopped';
  readonly reason: string;
  readonly answer: string | null;
  readonly verdict: IViewVerdict | null;
  readonly stop: IViewStop | null;
  readonly saved: IViewSaved;
}

/** A key of answers, or where it is long its beginning and a digest of all of it. */
export interface IViewKey {
  readonly key: string;
  readonly hasFloat: boolean;
  readonly floatOf: readonly number[];
}

/** An answer as shown, and the places of all keys that it can be read as, its own first. */
export interface IViewAnswer {
  readonly shown: string;
  readonly keys: readonly number[];
}

/** One vote. */
export interface IViewBallot {
  readonly answer: number;
  readonly replayed: boolean;
  readonly entropy: number | null;
  readonly factor: number | null;
}

/** The vote of a sample's code block by its index from 0. */
export interface IViewBlockBallot {
  readonly block: number;
  readonly ballot: IViewBallot;
}

/** A sample that ended. */
export interface IViewEnded {
  readonly sample: number;
  readonly status: 'answered' | 'cancelled' | 'context' | 'deadline' | 'kernel-failed' | 'malformed-reply' | 'no-answer' | 'request-refused' | 'server-lost' | 'token-limit' | 'turn-limit' | 'unexpected-answer';
  readonly tokens: number;
  readonly begun: number;
  readonly ballot: IViewBallot | null;
  readonly blocks: readonly IViewBlockBallot[];
  readonly asked: boolean;
  readonly until: number;
  readonly entropies: readonly (number | null)[];
  readonly factors: readonly (number | null)[];
}

/** A part of a run with one plan and one set of rules. */
export interface IViewPart {
  readonly start: number;
  readonly begun: number;
  readonly continued: boolean;
  readonly asked: boolean;
  readonly until: number;
  readonly planned: number;
  readonly stop: string;
  readonly tau: number;
  readonly minAnswers: number;
  readonly policy: 'blocks' | 'majority' | 'votes-first' | 'weighted';
  readonly wCode: number;
  readonly maxBlocks: number;
  readonly verifiable: boolean;
  readonly measurable: boolean;
}

/** What a page needs to vote again over a run that is over; see `viewing.revoting`. */
export interface IViewRevote {
  readonly keys: readonly IViewKey[];
  readonly answers: readonly IViewAnswer[];
  readonly ended: readonly IViewEnded[];
  readonly parts: readonly IViewPart[];
  readonly begun: number;
  readonly entropyWindows: readonly number[];
}

/** A run so far, or as it ended. */
export interface ISnapshot {
  readonly schema: number;
  readonly number: number;
  readonly head: IViewHead;
  readonly planned: number;
  readonly seconds: number;
  readonly tokens: number;
  readonly samples: readonly IViewSample[];
  readonly tally: IViewTally;
  readonly points: readonly IViewPoint[];
  readonly notices: readonly string[];
  readonly steps: readonly IViewStep[];
  readonly stepsLeftOut: number;
  readonly transcripts: readonly IViewTranscript[];
  readonly end: IViewEnd | null;
  readonly revote: IViewRevote | null;
}

/** Text to append to a segment of an open transcript. */
export interface IViewText {
  readonly sample: number;
  readonly segment: number;
  readonly text: string;
}

/** What changed since the batch before; `number` counts them for one page, without gaps. */
export interface IBatch {
  readonly schema: number;
  readonly runId: string;
  readonly number: number;
  readonly seconds: number;
  readonly tokens: number;
  readonly planned: number;
  readonly head: IViewHead | null;
  readonly resumed: boolean;
  readonly progress: readonly (readonly [number, number])[];
  readonly samples: readonly IViewSample[];
  readonly tally: IViewTally | null;
  readonly points: readonly IViewPoint[];
  readonly notices: readonly string[];
  readonly steps: readonly IViewStep[];
  readonly stepsLeftOut: number;
  readonly transcripts: readonly IViewTranscript[];
  readonly texts: readonly IViewText[];
  readonly end: IViewEnd | null;
  readonly revote: IViewRevote | null;
}

/** Each struct's fields: the type, and the default where the field may be missing. */
export const SHAPES: Shapes = {
  ViewProblem: {"text": ["string"], "chars": ["number"], "claim": [["nullable", "string"], null]},
  ViewServer: {"model": ["string"], "baseUrl": ["string"], "source": ["string"], "product": ["string"], "version": ["string"], "dialect": ["string"]},
  ViewHead: {"runId": ["string"], "version": ["string"], "created": ["string"], "problem": [["struct", "ViewProblem"]], "server": [["struct", "ViewServer"]], "isolation": ["string"], "seed": ["number"], "temperature": [["nullable", "number"], null], "plan": ["string"], "rule": ["string"], "tau": ["number"], "settings": [["record", "unknown"]], "continued": ["boolean", false]},
  ViewSample: {"sample": ["number"], "doing": [["literal", "ended", "running code", "starting a kernel", "verifying", "writing"], "writing"], "status": [["nullable", ["literal", "answered", "cancelled", "context", "deadline", "kernel-failed", "malformed-reply", "no-answer", "request-refused", "server-lost", "token-limit", "turn-limit", "unexpected-answer"]], null], "reason": ["string", ""], "answer": [["nullable", "string"], null], "verification": [["literal", "computed", "echo", "none", "replayed"], "none"], "verificationReason": ["string", ""], "entropy": [["nullable", "number"], null], "tokens": ["number", 0], "turns": ["number", 1], "cells": ["number", 0], "startedS": ["number", 0.0], "seconds": [["nullable", "number"], null]},
  ViewCandidate: {"key": ["string"], "shown": ["string"], "count": ["number"], "codeVerified": ["number"], "weight": ["number"], "share": ["number"], "meanEntropy": [["nullable", "number"], null], "samples": [["list", "number"]]},
  ViewWithoutBallot: {"status": [["literal", "answered", "cancelled", "context", "deadline", "kernel-failed", "malformed-reply", "no-answer", "request-refused", "server-lost", "token-limit", "turn-limit", "unexpected-answer"]], "samples": [["list", "number"]]},
  ViewTally: {"policy": ["string"], "planned": ["number"], "finished": ["number", 0], "answered": ["number", 0], "lost": ["number", 0], "unfinished": ["number", 0], "candidates": [["list", ["struct", "ViewCandidate"]], []], "leftOut": ["number", 0], "withoutBallot": [["list", ["struct", "ViewWithoutBallot"]], []], "tied": ["boolean", false], "remarks": [["list", "string"], []]},
  ViewPoint: {"finished": ["number"], "sample": ["number"], "leader": ["string", ""], "count": ["number", 0], "weightShare": ["number", 0.0]},
  ViewStep: {"seq": ["number"], "atS": ["number"], "type": ["string"], "kind": [["literal", "code", "model"], "code"], "decidedBy": [["literal", "code", "model"], "code"], "sample": [["nullable", "number"], null], "title": ["string", ""], "detail": ["string", ""], "tokensOut": [["nullable", "number"], null], "ms": [["nullable", "number"], null]},
  ViewCopied: {"segment": ["number"], "at": ["number"], "length": ["number"]},
  ViewSegment: {"kind": [["literal", "code", "error", "reasoning", "result", "text"]], "turn": ["number"], "text": ["string"], "chars": ["number", 0], "ms": [["nullable", "number"], null], "status": ["string", ""], "streaming": ["boolean", false], "copied": [["nullable", ["struct", "ViewCopied"]], null]},
  ViewTranscript: {"sample": ["number"], "segments": [["list", ["struct", "ViewSegment"]]], "start": ["number", 0]},
  ViewVerdict: {"verdict": [["literal", "agrees", "disagrees", "undecided"]], "claim": ["string"], "words": ["string"]},
  ViewStop: {"rule": ["string"], "words": ["string"], "after": ["number"], "sample": [["nullable", "number"], null], "numbers": [["record", "number"], {}]},
  ViewSaved: {"notStarted": ["number", 0], "cancelled": ["number", 0], "wastedTokens": ["number", 0], "savedTokensEstimated": [["nullable", "number"], null]},
  ViewEnd: {"status": [["literal", "answered", "cut-short", "deadline", "going-on", "no-answer", "server-lost", "stopped"]], "reason": ["string"], "answer": [["nullable", "string"], null], "verdict": [["nullable", ["struct", "ViewVerdict"]], null], "stop": [["nullable", ["struct", "ViewStop"]], null], "saved": [["struct", "ViewSaved"], {}]},
  ViewKey: {"key": ["string"], "hasFloat": ["boolean", false], "floatOf": [["list", "number"], []]},
  ViewAnswer: {"shown": ["string"], "keys": [["list", "number"]]},
  ViewBallot: {"answer": ["number"], "replayed": ["boolean", false], "entropy": [["nullable", "number"], null], "factor": [["nullable", "number"], null]},
  ViewBlockBallot: {"block": ["number"], "ballot": [["struct", "ViewBallot"]]},
  ViewEnded: {"sample": ["number"], "status": [["literal", "answered", "cancelled", "context", "deadline", "kernel-failed", "malformed-reply", "no-answer", "request-refused", "server-lost", "token-limit", "turn-limit", "unexpected-answer"]], "tokens": ["number", 0], "begun": ["number"], "ballot": [["nullable", ["struct", "ViewBallot"]], null], "blocks": [["list", ["struct", "ViewBlockBallot"]], []], "asked": ["boolean", true], "until": ["number", 0], "entropies": [["list", ["nullable", "number"]], []], "factors": [["list", ["nullable", "number"]], []]},
  ViewPart: {"start": ["number"], "begun": ["number", 0], "continued": ["boolean", false], "asked": ["boolean", false], "until": ["number", 0], "planned": ["number"], "stop": ["string"], "tau": ["number"], "minAnswers": ["number"], "policy": [["literal", "blocks", "majority", "votes-first", "weighted"]], "wCode": ["number"], "maxBlocks": ["number"], "verifiable": ["boolean"], "measurable": ["boolean"]},
  ViewRevote: {"keys": [["list", ["struct", "ViewKey"]]], "answers": [["list", ["struct", "ViewAnswer"]]], "ended": [["list", ["struct", "ViewEnded"]]], "parts": [["list", ["struct", "ViewPart"]]], "begun": ["number"], "entropyWindows": [["list", "number"], []]},
  Snapshot: {"schema": ["number"], "number": ["number", 0], "head": [["struct", "ViewHead"]], "planned": ["number"], "seconds": ["number", 0.0], "tokens": ["number", 0], "samples": [["list", ["struct", "ViewSample"]], []], "tally": [["struct", "ViewTally"]], "points": [["list", ["struct", "ViewPoint"]], []], "notices": [["list", "string"], []], "steps": [["list", ["struct", "ViewStep"]], []], "stepsLeftOut": ["number", 0], "transcripts": [["list", ["struct", "ViewTranscript"]], []], "end": [["nullable", ["struct", "ViewEnd"]], null], "revote": [["nullable", ["struct", "ViewRevote"]], null]},
  ViewText: {"sample": ["number"], "segment": ["number"], "text": ["string"]},
  Batch: {"schema": ["number"], "runId": ["string"], "number": ["number"], "seconds": ["number"], "tokens": ["number"], "planned": ["number"], "head": [["nullable", ["struct", "ViewHead"]], null], "resumed": ["boolean", false], "progress": [["list", ["tuple", "number", "number"]], []], "samples": [["list", ["struct", "ViewSample"]], []], "tally": [["nullable", ["struct", "ViewTally"]], null], "points": [["list", ["struct", "ViewPoint"]], []], "notices": [["list", "string"], []], "steps": [["list", ["struct", "ViewStep"]], []], "stepsLeftOut": ["number", 0], "transcripts": [["list", ["struct", "ViewTranscript"]], []], "texts": [["list", ["struct", "ViewText"]], []], "end": [["nullable", ["struct", "ViewEnd"]], null], "revote": [["nullable", ["struct", "ViewRevote"]], null]}
};
