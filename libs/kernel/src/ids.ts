import { sha256Hex } from './hash.js';

/** Ids of spec/kernel.md; hex is lower case, `+` is string concatenation. */

/** 64 hex. `sequenceIndex` counts the seed's events from 0, across all streams they go to. */
export function eventId(jobSeed: string, sequenceIndex: number, eventType: string): string {
  return sha256Hex(`${jobSeed}:${sequenceIndex}:${eventType}`);
}

/** The UUID under which an external store keeps an event: first 16 bytes, version nibble 5, RFC 9562 variant. */
export function storeUuid(id: string): string {
  const variant = ((parseInt(id.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const hex = `${id.slice(0, 12)}5${id.slice(13, 16)}${variant}${id.slice(17, 32)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function snapshotId(configHash: string, schemaVersion: number, seedNamespace: string): string {
  return sha256Hex(`${configHash}:${schemaVersion}:${seedNamespace}`);
}

export function workingMemoryId(jobSeed: string, counter: number): string {
  return `wm:${sha256Hex(`${jobSeed}:${counter}`)}`;
}

export function episodicId(jobSeed: string, counter: number): string {
  return `ep:${sha256Hex(`${jobSeed}:${counter}`)}`;
}

export function consentId(userId: string, jobSeed: string, consentText: string): string {
  return sha256Hex(userId + jobSeed + consentText);
}

export function jobId(jobSeed: string): string {
  return `job:${sha256Hex(`${jobSeed}:job`).slice(0, 32)}`;
}

/** Of the replay that a command asks for. */
export function replayId(seed: string): string {
  return `rp-${sha256Hex(`${seed}:replay`).slice(0, 32)}`;
}

export function queryId(jobSeed: string): string {
  return `q-${sha256Hex(`${jobSeed}:query`).slice(0, 32)}`;
}

export function traceId(jobSeed: string): string {
  return `trace-${sha256Hex(`${jobSeed}:trace`).slice(0, 16)}`;
}

/** `timestampSeeded` is that of REFLECTIVE_LOG_WRITTEN. */
export function logId(query: string, timestampSeeded: string, jobSeed: string): string {
  return sha256Hex(query + timestampSeeded + jobSeed);
}

export function brainstateId(jobSeed: string, timestampSeeded: string): string {
  return `bs:${jobSeed}:${timestampSeeded}`;
}
