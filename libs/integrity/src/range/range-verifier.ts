import { createHash, type Hash } from 'node:crypto';

import { RangePlaces, type RecordedEvent } from '#lib/event-store';
import { type Json, type KeyRing, sha256Hex } from '#lib/kernel';

import { type Fault, LISTED_FAULTS } from '../domain/fault.js';
import { EventCheck, type Found } from './event-check.js';
import { leafOfCut, leafOfText, TreeEdge } from './leaves.js';
import { KeptKeys } from './kept-keys.js';
import { type DataKey, type KeySource, LogReferences } from './log-references.js';
import type { ArtifactRef, JobPlace, Range, RangeReport, StreamPart } from './range-report.js';
import type { ReadEvent } from './read-event.js';
import type { RangeRead, Unreadable } from './read-range.js';
import type { IntegrityRules } from './rules.js';

/** Faults that one range lists; a log under another key has one an event, and nobody reads a million. */
const MAX_FAULTS = 1000;
/** Within a stream a clock may go back by so much (spec/kernel.md). */
const MAX_STEP_BACK_MS = 2000;
/** So long may a store take to keep what was signed for it. */
const MAX_BESIDE_MS = 60_000;
/** Positions that are read at once: what is made of their events is gone before the next are. */
const PART = 512;

/** What is known of a stream while its events of one range pass by. */
interface Passing {
  readonly first: StreamPart['first'];
  readonly prevHash: string | null;
  version: number;
  hash: string | null;
  recorded: StreamPart['recorded'];
  /** Events of a job from its first on, while its log is awaited; null where they are not all here. */
  job: Map<string, ReadEvent> | null;
  /** Whether a fault of an event is told already: a log that refers to it says nothing more. */
  isFaulty: boolean;
}

interface WrittenLog extends JobPlace {
  readonly references: LogReferences;
}

/**
 * Checks a range of the log by itself: every event alone, and each to the one before it of its stream as far as both
 * lie in the range. What must be compared with the ranges before is in the answer.
 */
export class RangeVerifier {
  private readonly check: EventCheck;
  private readonly keys: KeptKeys;

  constructor(
    private readonly rules: IntegrityRules,
    ring: KeyRing,
    keys: KeySource,
  ) {
    this.check = new EventCheck(ring, rules);
    this.keys = new KeptKeys(keys);
  }

  /**
   * @param read what a part of the range holds; parts are small, so that little of a range is in memory at once
   * @throws what `read` and the key source throw
   */
  async verify(range: Range, read: (part: Range) => RangeRead | Promise<RangeRead>): Promise<RangeReport> {
    const pass = new Pass(this.rules, this.check, range);
    for (let after = range.after; after < range.to; after += PART) {
      pass.takeAll(await read({ after, to: Math.min(range.to, after + PART) }));
      const ofLogs = pass.kidsOfLogs();
      const referred = pass.openLogs(await this.keys.with(ofLogs));
      pass.settle(await this.keys.with([...ofLogs, ...referred]));
    }
    pass.end();
    return pass.report();
  }
}

/** A walk goes by positions; everything else goes by the indexes, and would be told that the event is not there. */
const HIDDEN: Found = {
  detector: 'store',
  reason: 'an index of events.db does not lead to it, so that whoever reads its stream does not find it',
};

class Pass {
  private readonly streams = new Map<string, Passing>();
  private readonly faults: Fault[] = [];
  private moreFaults = 0;
  private readonly times: Fault[] = [];
  private timesFound = 0;
  private readonly unlisted = new Map<string, Fault>();
  private readonly unreadable: Unreadable[] = [];
  private logs: WrittenLog[] = [];
  private readonly found = { references: 0, erased: 0, unchecked: 0 };
  private readonly logsElsewhere: JobPlace[] = [];
  private readonly snapshots: string[] = [];
  private readonly artifacts: ArtifactRef[] = [];
  private sealedJobs = 0;
  private events = 0;
  private last: number;
  private readonly digest: Hash = createHash('sha256');
  private readonly tree = new TreeEdge();
  private readonly places = new RangePlaces();

  constructor(
    private readonly rules: IntegrityRules,
    private readonly check: EventCheck,
    private readonly range: Range,
  ) {
    this.last = range.after;
  }

  takeAll({ events, unreadable, hidden }: RangeRead): void {
    this.unreadable.push(...unreadable);
    let hashes = '';
    for (const event of events) {
      if (this.rules.dense && Number(event.position) <= this.range.after)
        this.fault(event, { detector: 'positions', reason: 'it stands before the first position' });
      else hashes += this.take(event);
      if (hidden?.has(Number(event.position))) this.fault(event, HIDDEN);
    }
    this.digest.update(hashes);
    this.places.flush();
  }

  /** Answers the event's hash. */
  private take(recorded: RecordedEvent): string {
    this.events++;
    this.checkPosition(Number(recorded.position));
    const hash = sha256Hex(recorded.text);
    const { event, found, cut } = this.check.check(recorded);
    if (this.rules.leaves) this.tree.add(cut ? leafOfCut(recorded, cut) : leafOfText(recorded));
    // What the event says itself, where the column says otherwise.
    this.places.add(recorded.position, found ? signedId(recorded, event) : recorded.id);
    if (found) this.fault(recorded, found);
    const link = this.follow(recorded, event, found ? null : hash);
    if (link) this.fault(recorded, link);
    if (found || link) this.streams.get(recorded.stream)!.isFaulty = true;
    if (event && !found) {
      this.checkTime(recorded, event.recordedAt);
      this.lookInto(recorded, event, link === null);
    }
    return hash;
  }

  /** Where positions are dense, the range ends with its last one. */
  end(): void {
    this.checkPosition(this.range.to + 1);
  }

  kidsOfLogs(): ReadonlySet<string> {
    return new Set(this.logs.flatMap(({ references }) => references.kidsOfLog()));
  }

  /** Opens the logs that were written since the last time; answers the kids that what they refer to takes. */
  openLogs(keys: ReadonlyMap<string, DataKey>): ReadonlySet<string> {
    return new Set(this.logs.flatMap(({ references }) => references.open(keys)));
  }

  /** Checks them. */
  settle(keys: ReadonlyMap<string, DataKey>): void {
    for (const { references: log, ...place } of this.logs) {
      const { fault, references, erased, unchecked } = log.check(keys);
      this.found.references += references;
      this.found.erased += erased;
      this.found.unchecked += unchecked;
      if (fault !== null) this.fault(place, { detector: 'log-reference', reason: fault });
    }
    this.logs = [];
  }

  report(): RangeReport {
    const { range, events, faults, moreFaults, snapshots, artifacts, sealedJobs } = this;
    return {
      range,
      events,
      faults,
      moreFaults,
      unlisted: [...this.unlisted.values()],
      openLogs: this.logsElsewhere,
      snapshots,
      artifacts,
      sealedJobs,
      references: this.found.references,
      erasedReferences: this.found.erased,
      uncheckedReferences: this.found.unchecked,
      times: this.times,
      timesFound: this.timesFound,
      streams: [...this.streams].map(([stream, { first, prevHash, version, hash, recorded }]) => ({
        stream,
        first,
        prevHash,
        version,
        hash,
        recorded,
      })),
      digest: this.digest.digest('hex'),
      places: this.places.digest(),
      root: this.rules.leaves ? this.tree.root().toString('hex') : null,
    };
  }

  private checkPosition(position: number): void {
    const [first, last] = [this.last + 1, position - 1];
    this.last = position;
    if (first > last) return;
    const damage = this.unreadable.find(({ after, to }) => after < last && to >= first);
    if (!damage && !this.rules.dense) return;
    const which = first === last ? `position ${first}` : `positions ${first} to ${last}`;
    const found: Found = damage
      ? { detector: 'store', reason: `${which} cannot be read: ${damage.reason}` }
      : { detector: 'positions', reason: `${which} missing from the log` };
    this.add({ ...found, stream: null, revision: null, position: String(first) });
  }

  /**
   * The event's link to the one before it, where both are here.
   * @param hash null for an event with a fault of its own: what follows it cannot be compared with it
   */
  private follow(recorded: RecordedEvent, event: ReadEvent | null, hash: string | null): Found | null {
    const { stream, revision, position, type } = recorded;
    const prevHash = event?.prevHash ?? null;
    const passing = this.streams.get(stream);
    if (!passing) {
      const job = revision === 0 && stream.startsWith(this.rules.jobs.prefix) ? new Map() : null;
      const begins = { revision, position, type };
      const comparable = hash === null ? null : prevHash;
      this.streams.set(stream, {
        first: begins,
        prevHash: comparable,
        version: revision + 1,
        hash,
        recorded: null,
        job,
        isFaulty: false,
      });
      return null;
    }
    const before = { version: passing.version, hash: passing.hash };
    passing.version = revision + 1;
    passing.hash = hash;
    return linkFault({ stream, revision, type, prevHash: hash === null ? null : prevHash }, before, this.rules);
  }

  /** @param at its signed time; null where it has none */
  private checkTime({ stream, revision, position, recordedAt }: RecordedEvent, at: number | null): void {
    if (at === null) return;
    const passing = this.streams.get(stream)!;
    const { recorded } = passing;
    passing.recorded = { first: recorded?.first ?? { at, revision, position }, last: at };
    const back = recorded && clockStep(at, recorded.last);
    // Whoever copies a log is not asked: only a dense store takes every event from who records it.
    const beside = this.rules.dense ? timeBeside(at, recordedAt) : null;
    for (const reason of [back, beside]) {
      if (reason === null) continue;
      this.timesFound++;
      if (this.times.length < LISTED_FAULTS) this.times.push({ detector: 'time', stream, revision, position, reason });
    }
  }

  private lookInto(recorded: RecordedEvent, event: ReadEvent, isLinked: boolean): void {
    const { stream, revision, position, type, id } = recorded;
    const { jobs, snapshots, artifacts } = this.rules;
    const seal = this.sealFault(recorded, event);
    if (seal) this.fault(recorded, seal);
    if (type === jobs.sealed && !seal) this.sealedJobs++;
    if (stream.startsWith(snapshots.prefix) && revision === 0) {
      if (type === snapshots.created) this.snapshots.push(stream.slice(snapshots.prefix.length));
      else this.fault(recorded, { detector: 'snapshot', reason: 'its stream does not begin with the snapshot' });
    }
    const path = artifacts[type];
    const name = path && memberAt(event.envelope.data, path);
    if (typeof name === 'string') this.artifacts.push({ name, stream, revision, position, type });
    const passing = this.streams.get(stream)!;
    if (type === jobs.log && stream.startsWith(jobs.prefix)) {
      const place = { stream, revision, position };
      if (passing.job && !passing.isFaulty)
        this.logs.push({ references: new LogReferences(event, passing.job, this.rules), ...place });
      else if (isLinked && !passing.isFaulty) this.logsElsewhere.push(place);
      passing.job = null;
    } else passing.job?.set(id, event);
  }

  private sealFault({ type, revision }: RecordedEvent, event: ReadEvent): Found | null {
    const field = this.rules.sealFields[type];
    if (field !== undefined && event.envelope.data[field] !== event.prevHash)
      return { detector: 'seal', reason: 'its seal names another last event than it follows' };
    if (type !== this.rules.jobs.sealed) return null;
    const { count } = event.envelope.data;
    if (count === revision) return null;
    return { detector: 'seal', reason: `it counts ${JSON.stringify(count)} events; ${revision} stand before it` };
  }

  private fault({ stream, revision, position }: JobPlace, { detector, reason }: Found): void {
    this.add({ detector, stream, revision, position, reason });
  }

  private add(fault: Fault): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(fault);
    else {
      this.moreFaults++;
      keepFirst(this.unlisted, fault, this.rules);
    }
  }
}

function signedId({ id }: RecordedEvent, event: ReadEvent | null): string {
  const signed: unknown = event?.envelope.metadata.event_id;
  return typeof signed === 'string' ? signed : id;
}

/** Keeps the first fault of each stream whose record goes out of use for it. */
export function keepFirst(kept: Map<string, Fault>, fault: Fault, { jobs, snapshots }: IntegrityRules): void {
  const { stream } = fault;
  if (stream === null || kept.has(stream)) return;
  if (stream.startsWith(jobs.prefix) || stream.startsWith(snapshots.prefix)) kept.set(stream, fault);
}

/** What is wrong between an event and the end of its stream before it; null where nothing is, or nothing can be told. */
export function linkFault(
  event: {
    readonly stream: string;
    readonly revision: number;
    readonly type: string;
    readonly prevHash: string | null;
  },
  before: { readonly version: number; readonly hash: string | null },
  { snapshots }: IntegrityRules,
): Found | null {
  const { stream, revision, type, prevHash } = event;
  if (revision !== before.version) {
    const stands =
      before.version === 0 ? 'nothing of the stream stands before it' : `${before.version - 1} stands before it`;
    return { detector: 'revision', reason: `it has revision ${revision}, and ${stands}` };
  }
  if (before.hash === null || prevHash === null || prevHash === before.hash) return null;
  const isFirstFlag = revision === 1 && stream.startsWith(snapshots.prefix) && type === snapshots.flags[0];
  if (isFirstFlag) return null;
  return { detector: 'chain', reason: 'its prev_hash is not the hash of the event before it' };
}

/** What is to be said of a time that lies before that of the event before it; null where both agree. */
export function clockStep(at: number, before: number): string | null {
  if (before - at <= MAX_STEP_BACK_MS) return null;
  const [here, there] = [at, before].map((time) => new Date(time).toISOString());
  return `it was recorded at ${here}, ${(before - at) / 1000} s before the event it follows (${there})`;
}

function timeBeside(at: number, beside: number): string | null {
  if (Math.abs(beside - at) <= MAX_BESIDE_MS) return null;
  return `the store dates it ${Math.round((beside - at) / 1000)} s from ${new Date(at).toISOString()}, when it was recorded`;
}

function memberAt(data: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = data;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = (value as Readonly<Record<string, Json>>)[name];
  }
  return value;
}
