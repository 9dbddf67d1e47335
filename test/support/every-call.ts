import { proposalBy, voteBy } from './room-client.js';

/** Calls of gRPC that put a text into every place of every message, and into each piece of metadata. */

export interface RoomCall {
  /** Which place of which method. */
  readonly place: string;
  readonly method: string;
  readonly message: object;
  readonly metadata: Readonly<Record<string, string>>;
}

const METADATA = ['authorization', 'x-idempotency-key', 'x-trace-id', 'user-said'];

/**
 * @param who speaks for itself in each sound message
 * @param artifactId of a negotiation that is open, and asks `who`
 */
export function everyRoomCall(who: string, artifactId: string, text: string): readonly RoomCall[] {
  const asked = { artifact_id: artifactId, negotiation_room_id: '' };
  const proposal = proposalBy(who, 'canary-proposal', ['ann'], { negotiation_room_id: 'room-1' });
  const words = { weaknesses: ['none'], recommendations: ['none'], negotiation_room_id: '' };
  const agent = { agent_id: who, name: 'critic', description: 'looks', capabilities: ['review'] };
  const sound: readonly (readonly [string, object])[] = [
    ['SubmitProposal', proposal],
    ['SubmitVote', voteBy(who, artifactId, words)],
    ['GetVotes', asked],
    ['GetDecision', asked],
    ['WaitForDecision', { ...asked, timeout_seconds: 1 }],
    ['RegisterAgent', { agent }],
    ['Heartbeat', { agent_id: who, state: 4, health: { load: 'low' } }],
    ['DeregisterAgent', { agent_id: who, reason: 'done' }],
  ];
  return sound.flatMap(([method, message]) => [
    ...textsIn(message).map(([place, put]) => ({
      place: `${method} ${place}`,
      method,
      message: put(text),
      metadata: {},
    })),
    ...METADATA.map((name) => ({
      place: `${method} metadata ${name}`,
      method,
      message,
      metadata: { [name]: text.replace(/[^\x20-\x7e]/g, '?') },
    })),
  ]);
}

type Put = (text: string) => object;

/** Every text, bytes included, that stands in a message, with the message that has another one there. */
function textsIn(message: object, place = ''): readonly (readonly [string, Put])[] {
  return Object.entries(message).flatMap(([name, value]): readonly (readonly [string, Put])[] => {
    const at = `${place}/${name}`;
    const replaced = (put: unknown): object =>
      Array.isArray(message)
        ? message.map((one: unknown, i) => (String(i) === name ? put : one))
        : { ...message, [name]: put };
    if (typeof value === 'string') return [[at, (text) => replaced(text)]];
    if (Buffer.isBuffer(value)) return [[at, (text) => replaced(Buffer.from(text))]];
    if (typeof value !== 'object' || value === null) return [];
    return textsIn(value as object, at).map(([inside, put]) => [inside, (text) => replaced(put(text))] as const);
  });
}
