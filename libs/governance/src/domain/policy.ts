import { canonicalCopy, canonicalize, type Json, type JsonObject } from '#lib/kernel';

import type { PolicyChanged, PolicyDifference } from './policy.events.js';

/** What is in force under a policy's name. */
export interface PolicyState {
  readonly snapshotId: string | null;
  readonly fileHash: string | null;
  /** The snapshot that each approved request made, by request. */
  readonly byRequest: Readonly<Record<string, PolicyChanged>>;
  readonly lastEventId: string;
}

export const initialPolicy: PolicyState = { snapshotId: null, fileHash: null, byRequest: {}, lastEventId: '' };

export function evolvePolicy(
  state: PolicyState,
  { type, data, metadata }: { type: string; data: JsonObject; metadata: { readonly event_id: string } },
): PolicyState {
  if (type !== 'POLICY_CHANGED') return state;
  const changed = data as unknown as PolicyChanged;
  const { request_id: request } = changed;
  return {
    snapshotId: changed.snapshot_id,
    fileHash: changed.file_hash,
    byRequest: request === undefined ? state.byRequest : { ...state.byRequest, [request]: changed },
    lastEventId: metadata.event_id,
  };
}

/** A body with a change in it, as a merge patch (RFC 7396): objects are merged, null removes, all else replaces. */
export function mergePatch(body: JsonObject, change: JsonObject): JsonObject {
  const names = Object.keys(change);
  const merged: [string, Json][] = Object.entries(body).filter(([name]) => !names.includes(name));
  for (const name of names) {
    const patch = change[name]!;
    const before = Object.hasOwn(body, name) ? body[name]! : {};
    if (patch === null) continue;
    merged.push([name, isObject(patch) ? mergePatch(isObject(before) ? before : {}, patch) : patch]);
  }
  return Object.fromEntries(merged);
}

/** The change that leads from one body to another; for bodies without nulls, which no merge patch could set. */
export function mergePatchBetween(from: JsonObject, to: JsonObject): JsonObject {
  const patch: [string, Json][] = Object.keys(from)
    .filter((name) => !Object.hasOwn(to, name))
    .map((name) => [name, null]);
  for (const [name, after] of Object.entries(to)) {
    const before = Object.hasOwn(from, name) ? from[name]! : undefined;
    if (before !== undefined && canonicalize(before) === canonicalize(after)) continue;
    patch.push([name, isObject(before) && isObject(after) ? mergePatchBetween(before, after) : after]);
  }
  return Object.fromEntries(patch);
}

/** The leaves in which two bodies without nulls differ, in code unit order of their pointers. */
export function differences(from: Json, to: Json, pointer = ''): readonly PolicyDifference[] {
  const both = Array.isArray(from) === Array.isArray(to) && isTree(from) && isTree(to);
  if (!both) return canonicalize(from) === canonicalize(to) ? [] : [{ pointer, from, to }];
  const before = from as Readonly<Record<string, Json>>;
  const after = to as Readonly<Record<string, Json>>;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const was = Object.hasOwn(before, name) ? before[name]! : null;
    const is = Object.hasOwn(after, name) ? after[name]! : null;
    return was === null || is === null ? [{ pointer: place, from: was, to: is }] : differences(was, is, place);
  });
}

/**
 * The other way: what differences make of a body, as far as they can be told from null; null where they do not fit it.
 * Whoever uses it proves the result by its hash.
 */
export function withDifferences(from: JsonObject, changed: readonly PolicyDifference[]): JsonObject | null {
  const body: Json = canonicalCopy(from);
  for (const { pointer, to } of changed) {
    const names = pointer
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop();
    const place = names.reduce<Json | undefined>((at, name) => member(at, name), body);
    if (last === undefined || place === undefined || !isTree(place)) return null;
    const tree = place as Record<string, Json>;
    if (to !== null) tree[last] = to;
    else if (Array.isArray(place)) place.length = Math.min(place.length, Number(last));
    else delete tree[last];
  }
  return body;
}

function member(at: Json | undefined, name: string): Json | undefined {
  if (at === undefined || !isTree(at) || !Object.hasOwn(at as object, name)) return undefined;
  return (at as Record<string, Json>)[name];
}

/**
 * Why nobody could decide or be answered any more under such a policy; null where somebody could. Asked of every
 * change, whatever its schema allows.
 */
export function lockout(policy: string, body: JsonObject): string | null {
  return LOCKOUTS[policy]?.(body) ?? null;
}

const LOCKOUTS: Readonly<Record<string, (body: JsonObject) => string | null>> = {
  governance({ council_quorum: quorum, council_members: members, answer_council: council }) {
    if (typeof quorum === 'number' && Array.isArray(members)) {
      if (members.length < quorum)
        return `council_quorum ${quorum} could never be met by ${members.length} council_members: nobody could decide anything`;
      if (members.length === quorum)
        return `council_quorum ${quorum} could never be met on a request of one of the ${quorum} council_members, who has no vote on it: name more of them, or lower council_quorum`;
    }
    return isObject(council) ? answersLockedOut(council) : null;
  },
  router({ intents, min_score: score, min_availability: availability, stage0, status_factors, weights }) {
    if (typeof score === 'number' && score > 1) return 'no module scores over 1: nobody would be answered';
    if (typeof availability === 'number' && availability > 1)
      return 'no availability is over 1: nobody would be answered';
    const best = highest(status_factors);
    if (best !== null && typeof availability === 'number' && best < availability) {
      return `min_availability ${availability} is over every status factor: nobody would be answered`;
    }
    const reachable = highestScore(weights, best);
    if (reachable !== null && typeof score === 'number' && reachable < score) {
      return `min_score ${score} is over what the weights can give: nobody would be answered`;
    }
    if (isObject(intents) && Object.keys(intents).length === 0) return 'without intents nobody would be answered';
    const toggles = isObject(stage0) ? Object.values(stage0) : [];
    return toggles.length > 0 && toggles.every((on) => on === false)
      ? 'with every rule of stage 0 off nobody would be answered'
      : null;
  },
  safety({ refused_phrases: phrases, max_answer_length: length }) {
    const all = Array.isArray(phrases) && phrases.some((phrase) => typeof phrase === 'string' && phrase.trim() === '');
    if (all) return 'an empty refused phrase is part of every answer: nobody would be answered';
    return typeof length === 'number' && length < 1 ? 'no answer is shorter than 1: nobody would be answered' : null;
  },
};

/** Why no answer could ever be approved by such a council. */
function answersLockedOut({ critics, quorum }: JsonObject): string | null {
  if (!Array.isArray(critics)) return null;
  const ids = critics.map((critic: Json) => (isObject(critic) ? critic['critic_id'] : undefined));
  const twice = ids.find((id, i) => typeof id === 'string' && ids.indexOf(id) !== i);
  if (twice !== undefined)
    return `answer_council asks ${JSON.stringify(twice)} twice, and counts one vote of it: all could never have voted`;
  const votes = isObject(quorum) ? quorum['minimum_votes'] : undefined;
  if (typeof votes !== 'number' || votes <= ids.length) return null;
  return `answer_council needs ${votes} votes and asks ${ids.length} critics: nobody would be answered`;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTree(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** The greatest of an object's numbers; null where it has none. */
function highest(factors: Json | undefined): number | null {
  const numbers = isObject(factors) ? Object.values(factors).filter((factor) => typeof factor === 'number') : [];
  return numbers.length === 0 ? null : Math.max(...numbers);
}

/** What a fully trusted module scores at most, with the best of goals and all the bias to explore there can be. */
function highestScore(weights: Json | undefined, availability: number | null): number | null {
  const { availability: ours, goal_priority: goal, exploration } = isObject(weights) ? weights : {};
  if (typeof ours !== 'number' || typeof goal !== 'number' || typeof exploration !== 'number') return null;
  return availability === null ? null : ours * availability + goal + exploration * (1 - availability);
}
