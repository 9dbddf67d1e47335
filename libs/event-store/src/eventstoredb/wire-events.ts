import type { AllStreamResolvedEvent, EventTypeToRecordedEvent, EventType, ResolvedEvent } from '@eventstore/db-client';

import { sha256Hex, storeUuid } from '#lib/kernel';

import { type EventToAppend, type Position, positionOf, type RecordedEvent, START } from '../port.js';

const ENCODER = new TextEncoder();

/**
 * The id under which the server keeps an event: a UUID of its id and of the one writing that it is made for. The server
 * takes equal ids for equal bytes, and drops in silence what has the ids of an append that is still under way
 * (docs/decisions/0016): so no two writings have equal ids there.
 */
export function wireId({ id }: EventToAppend, writing: string): string {
  return storeUuid(sha256Hex(`${id}\n${writing}`));
}

/** As bytes: as JSON the client would parse and write them anew. @param writing unique among all writings */
export function toWire(event: EventToAppend, writing: string) {
  return {
    id: wireId(event, writing),
    contentType: 'application/octet-stream' as const,
    type: event.type,
    // Arrays of just this class are sent as they are; what is not, the client copies, or turns into Base64 and back.
    data: ENCODER.encode(event.text),
    metadata: ENCODER.encode(event.copied ? `{"id":"${event.id}"${COPIED}}` : `{"id":"${event.id}"}`),
  };
}

const COPIED = ',"copied":true';
const METADATA_BYTES = '{"id":""}'.length + 64;

/** What an append of these takes of the server's limit, which counts types and metadata too. */
export function wireSize(events: readonly EventToAppend[], textBytes: number): number {
  const sizeOf = ({ type, copied }: EventToAppend): number =>
    2 * type.length + METADATA_BYTES + (copied ? COPIED.length : 0);
  return events.reduce((size, event) => size + sizeOf(event), textBytes);
}

export type WireRecord = EventTypeToRecordedEvent<EventType>;

/** Of the server itself: its statistics, the metadata of streams, links; nothing of ours is called so. */
export function isSystem({ type, streamId }: WireRecord): boolean {
  return type.startsWith('$') || streamId.startsWith('$');
}

/** The record that was read; links are not followed, so it stands where it was found. */
export function recordOf(resolved: ResolvedEvent | AllStreamResolvedEvent): WireRecord | undefined {
  return resolved.event;
}

/** What the client calls a position. An event written over gRPC is prepared and committed at one place. */
export function placeOf(position: Position): 'start' | { readonly commit: bigint; readonly prepare: bigint } {
  return position === START ? 'start' : { commit: BigInt(position), prepare: BigInt(position) };
}

export function positionIn(record: WireRecord): Position {
  return positionOf(record.position!.commit);
}

export function fromWire(record: WireRecord): RecordedEvent {
  const { streamId, revision, type, created } = record;
  const event: RecordedEvent = {
    stream: streamId,
    revision: Number(revision),
    position: String(record.position!.commit) as Position,
    id: idOf(record),
    type,
    text: textOf(record),
    recordedAt: created.getTime(),
  };
  const isCopied = (record.metadata as { copied?: unknown } | undefined)?.copied === true;
  return isCopied ? { ...event, copied: true } : event;
}

const ID = /^[0-9a-f]{64}$/;

/** What somebody else wrote into the database has no id of ours. It is handed on for the codec to refuse, not left out. */
function idOf({ id, metadata }: WireRecord): string {
  const own = (metadata as { id?: unknown } | undefined)?.id;
  return typeof own === 'string' && ID.test(own) ? own : sha256Hex(id);
}

function textOf({ data, isJson }: WireRecord): string {
  if (isJson) return JSON.stringify(data);
  const { buffer, byteOffset, byteLength } = data;
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
