import { createHash } from 'node:crypto';

import { type CommandContext, personOf } from '#lib/access';
import {
  Bulkhead,
  comparePositions,
  type EventLog,
  isErased,
  type LoggedEvent,
  nextSlice,
  positionOf,
  sliceIsOver,
} from '#lib/event-store';
import { canonicalize, type EventRegistry, type JsonObject, MaceError } from '#lib/kernel';

import type { Dsr } from './domain/dsr.js';
import { dsrEvent, dsrStream } from './domain/dsr.events.js';
import { EXPORTED_FIELDS } from './domain/exported-fields.js';
import { decideOn, findDsr, noDsr } from './dsr-streams.js';
import { footprintOf } from './footprint.js';
import type { ExportedWrite, Standing, SubjectMemory } from './ports.js';

/** Everything that a person may take away of what is recorded of them, as of their request. */
export interface ExportPackage {
  readonly format: 'mace-export/1';
  readonly dsr_id: string;
  readonly user_id: string;
  /** Position of the request in the log: nothing later is in it. */
  readonly as_of: string;
  /** By key, in order; oldest write first. */
  readonly memory: Readonly<Record<string, readonly Omit<ExportedWrite, 'position'>[]>>;
  /** Allowed fields of every other event, in log order. */
  readonly records: readonly ExportedRecord[];
}

export interface ExportedRecord {
  readonly type: string;
  readonly event_id: string;
  readonly position: string;
  readonly data: JsonObject;
}

export interface Exported {
  readonly dsr_id: string;
  /** sha256 of the canonical package. */
  readonly digest: string;
  readonly package: ExportPackage;
}

/** Each is held whole until it is answered, and made from a look through the whole log. */
const PACKAGES = { inAll: 1, ofOne: 1, waiting: 2 };
/** Of a package, in characters of JSON: it is held as objects, as a text and as bytes at once. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
const IN_PAGES =
  'read memory by GET /me/keys and the history of each, jobs by GET /me/jobs, consents by GET /consents, in pages';

/** Packages of what is recorded of a person, for that person only (spec/privacy.md, "Data-subject requests"). */
export class Exports {
  private readonly packages = new Bulkhead('packages', PACKAGES);

  constructor(
    private readonly log: EventLog,
    private readonly registry: EventRegistry,
    private readonly memory: SubjectMemory,
    private readonly standing: Standing,
  ) {}

  /**
   * The package, made anew each time and the same each time unless something of it was revoked or erased since; that it
   * was given is recorded first.
   * @throws MaceError NOT_FOUND, PERMISSION_DENIED for who may see the request and is not the person, CONFLICT, also for
   * a package that is too large for one answer;
   * RateLimitedError where too many packages of the principal wait to be made
   */
  async export(ctx: CommandContext, dsrId: string): Promise<Exported> {
    const found = await findDsr(this.log, dsrId);
    if (!found || personOf(ctx.principal) !== found.dsr.request.user_id) throw noDsr(dsrId);
    const { request } = found.dsr;
    if (request.kind !== 'export') throw new MaceError('CONFLICT', `${dsrId} asks for a deletion, not for an export`);
    const made = await this.packages.run(ctx.principal.id, () => this.packageOf(found.dsr, ctx.now));
    const digest = await digestOf(made);
    const told = {
      dsr_id: dsrId,
      user_id: request.user_id,
      digest,
      exported_by: ctx.principal.id,
      exported_at: new Date(ctx.now).toISOString(),
    };
    const { seed: jobSeed, actor, traceId } = ctx;
    await decideOn(this.log, dsrId, { jobSeed, sequenceIndex: 0, actor, traceId }, () => [
      dsrEvent('DSR_EXPORTED', told),
    ]);
    return { dsr_id: dsrId, digest, package: made };
  }

  private async packageOf({ request: { dsr_id, user_id } }: Dsr, now: number): Promise<ExportPackage> {
    const { events } = await this.log.load(dsrStream(dsr_id));
    const as_of = events[0]!.position;
    const isIn = ({ position }: { readonly position: string }): boolean =>
      comparePositions(positionOf(position), as_of) <= 0;
    const { entries, keys } = await footprintOf(this.log, this.registry, user_id);
    let characters = 0;
    const count = (part: object): void => {
      characters += JSON.stringify(part).length;
      if (characters <= MOST_CHARACTERS) return;
      throw new MaceError('CONFLICT', `the package is over ${MOST_CHARACTERS / 2 ** 20} MiB; ${IN_PAGES}`);
    };
    const memory: Record<string, Omit<ExportedWrite, 'position'>[]> = {};
    for (const key of keys) {
      const writes: Omit<ExportedWrite, 'position'>[] = [];
      for await (const write of this.memory.writes(key)) {
        if (!isIn(write)) break;
        count(write.content);
        writes.push({ revision: write.revision, content: write.content });
      }
      if (writes.length > 0) memory[key] = writes;
    }
    const streams = new Set(entries.filter(({ type }) => EXPORTED_FIELDS[type]).map(({ stream }) => stream));
    streams.add(`consent-${user_id}`);
    const own = new Set(entries.map(({ event_id }) => event_id));
    const records: ExportedRecord[] = [];
    for (const stream of streams) {
      const exported: LoggedEvent[] = [];
      await this.log.each(stream, { personal: 'plain', upTo: as_of }, (event) => {
        const isOwn = own.has(event.metadata.event_id) || stream === `consent-${user_id}`;
        if (isOwn && EXPORTED_FIELDS[event.type]) exported.push(event);
      });
      for (const event of exported) {
        const record = await this.recordOf(event, user_id, now);
        count(record);
        records.push(record);
      }
    }
    records.sort((a, b) => comparePositions(positionOf(a.position), positionOf(b.position)));
    return { format: 'mace-export/1', dsr_id, user_id, as_of, memory, records };
  }

  /** What was said under a consent that has ended is told to nobody, the person included. */
  private async recordOf(event: LoggedEvent, user_id: string, now: number): Promise<ExportedRecord> {
    const { type, data, metadata, position } = event;
    const { personal = [] } = this.registry.get(type)!;
    const stands = await this.standing(event, user_id, now);
    const shown = EXPORTED_FIELDS[type]!.filter((field) => data[field] !== undefined).map((field) => {
      if (isErased(data[field])) return [field, '[erased]'];
      return [field, stands || !personal.includes(field) ? data[field]! : '[revoked]'];
    });
    return { type, event_id: metadata.event_id, position, data: Object.fromEntries(shown) as JsonObject };
  }
}

/** sha256 of the canonical package, whose text is never written out whole. */
async function digestOf(made: ExportPackage): Promise<string> {
  const hash = createHash('sha256');
  for (const part of canonicalParts(made)) {
    if (sliceIsOver()) await nextSlice();
    hash.update(part);
  }
  return hash.digest('hex');
}

/** The canonical text of a package: its members in the order of their names. */
function* canonicalParts({ memory, records, user_id, ...first }: ExportPackage): Generator<string> {
  yield `${canonicalize(first).slice(0, -1)},"memory":{`;
  for (const [i, key] of Object.keys(memory).sort().entries()) {
    yield `${i > 0 ? ',' : ''}${canonicalize(key)}:[`;
    yield* listed(memory[key]!);
    yield ']';
  }
  yield '},"records":[';
  yield* listed(records);
  yield `],"user_id":${canonicalize(user_id)}}`;
}

function* listed(items: readonly object[]): Generator<string> {
  for (const [i, item] of items.entries()) yield `${i > 0 ? ',' : ''}${canonicalize(item)}`;
}
