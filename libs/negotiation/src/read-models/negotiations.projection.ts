import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import type { DecisionOutcome } from '../domain/decision.js';
import type { AgentHeartbeat, AgentRegistered } from '../domain/critic.events.js';
import type { NegotiationDecided, NegotiationProposed, SeniorCriticsAsked } from '../domain/negotiation.events.js';
import type { ArtifactType } from '../domain/window.js';
import { personOfId } from '../person-of-id.js';

/** One document a negotiation: what lists show. What was said stays in its stream. */
export interface NegotiationRow {
  readonly artifact_id: string;
  readonly artifact_type: ArtifactType;
  readonly negotiation_room_id: string;
  readonly producer_id: string;
  /** Normal form. */
  readonly producer_principal: string;
  readonly requested_critics: readonly string[];
  readonly status: 'open' | 'decided';
  /** Null while it is open. */
  readonly outcome: DecisionOutcome | null;
  readonly received_at: string;
  readonly due_at: string;
  /** When it closes by itself; null once it is closed. ISO 8601. */
  readonly closes_at: string | null;
  /** Position of NEGOTIATION_PROPOSED: what lists sort by. */
  readonly position: number;
}

/** One document a critic that was asked: lists of what a critic is asked are found by it. */
interface AskedRow {
  /** Normal form; null for an id that no principal can have. */
  readonly critic_principal: string | null;
  readonly artifact_id: string;
  readonly position: number;
}

/** A registered critic, as it says itself; nothing personal of it. */
export interface CriticRow {
  readonly critic_id: string;
  /** ISO 8601. */
  readonly registered_at: string;
  /** AgentState of its newest heartbeat; null before the first. */
  readonly state: number | null;
  /** When it was last heard of, ISO 8601: by so much as a second earlier than it was. */
  readonly heard_at: string;
  /** Position of AGENT_REGISTERED: what lists sort by. */
  readonly position: number;
}

export const NEGOTIATIONS_COLLECTION: CollectionDefinition = {
  name: 'negotiations',
  indexes: ['status', 'producer_principal', 'position', 'closes_at'],
};
export const ASKED_COLLECTION: CollectionDefinition = {
  name: 'asked_critics',
  indexes: ['critic_principal', 'position'],
};

export const CRITICS_COLLECTION: CollectionDefinition = { name: 'critics', indexes: ['position'] };

export const negotiationsProjection: Projection = {
  name: 'negotiations',
  version: 2,
  collections: [NEGOTIATIONS_COLLECTION, ASKED_COLLECTION, CRITICS_COLLECTION],
  types: [
    'NEGOTIATION_PROPOSED',
    'VOTE_WINDOW_CLOSED',
    'SENIOR_CRITICS_ASKED',
    'NEGOTIATION_DECIDED',
    'AGENT_REGISTERED',
    'AGENT_HEARTBEAT',
    'AGENT_DEREGISTERED',
  ],
  project(event: ProjectedEvent): readonly Change[] {
    const collection = NEGOTIATIONS_COLLECTION.name;
    const id = event.data['artifact_id'] as string;
    switch (event.type) {
      case 'NEGOTIATION_PROPOSED':
        return proposed(event);
      case 'VOTE_WINDOW_CLOSED':
        return [{ op: 'merge', collection, id, fields: { closes_at: null } }];
      case 'SENIOR_CRITICS_ASKED': {
        const { critics, due_at } = event.data as unknown as SeniorCriticsAsked;
        return [
          { op: 'merge', collection, id, fields: { closes_at: due_at } },
          ...askedRows(id, critics, Number(event.position)),
        ];
      }
      case 'NEGOTIATION_DECIDED': {
        const { outcome } = event.data as unknown as NegotiationDecided;
        return [{ op: 'merge', collection, id, fields: { status: 'decided', outcome } }];
      }
      default:
        return critic(event);
    }
  },
};

/** The registry: a critic is there from its registration until it leaves. */
function critic({ type, data, position }: ProjectedEvent): readonly Change[] {
  const collection = CRITICS_COLLECTION.name;
  const id = data['agent_id'] as string;
  switch (type) {
    case 'AGENT_REGISTERED': {
      const { registered_at } = data as unknown as AgentRegistered;
      const row: CriticRow = {
        critic_id: id,
        registered_at,
        state: null,
        heard_at: registered_at,
        position: Number(position),
      };
      return [{ op: 'merge', collection, id, fields: { ...row } }];
    }
    case 'AGENT_HEARTBEAT': {
      const { state, beat_at: heard_at } = data as unknown as AgentHeartbeat;
      return [{ op: 'merge', collection, id, fields: { state, heard_at } }];
    }
    case 'AGENT_DEREGISTERED':
      return [{ op: 'delete', collection, id }];
    default:
      return [];
  }
}

function proposed({ data, position }: ProjectedEvent): readonly Change[] {
  const asked = data as unknown as NegotiationProposed;
  const { artifact_id } = asked;
  const at = Number(position);
  const row: NegotiationRow = {
    artifact_id,
    artifact_type: asked.artifact_type,
    negotiation_room_id: asked.negotiation_room_id,
    producer_id: asked.producer_id,
    producer_principal: asked.producer_principal,
    requested_critics: asked.requested_critics,
    status: 'open',
    outcome: null,
    received_at: asked.received_at,
    due_at: asked.due_at,
    closes_at: asked.due_at,
    position: at,
  };
  return [
    { op: 'merge', collection: NEGOTIATIONS_COLLECTION.name, id: artifact_id, fields: { ...row } },
    ...askedRows(artifact_id, asked.requested_critics, at),
  ];
}

/** @param position of the event that asks them */
function askedRows(artifact_id: string, critics: readonly string[], position: number): readonly Change[] {
  return critics.map((critic_id): Change => {
    const row: AskedRow = { critic_principal: personOfId(critic_id), artifact_id, position };
    return { op: 'merge', collection: ASKED_COLLECTION.name, id: `${artifact_id} ${critic_id}`, fields: { ...row } };
  });
}
