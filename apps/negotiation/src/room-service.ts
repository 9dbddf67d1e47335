import type { UntypedServiceImplementation } from '@grpc/grpc-js';

import type { Negotiations } from '#lib/negotiation';

import { type CallParts, type Method, served } from './calls.js';
import { proposalOf, voteOf, wireDecision, wireVote } from './proto/mapping.js';
import type { WireAsked, WireDecision, WireProposal, WireVote } from './proto/messages.js';
import { DISPOSITION } from './room-caller.js';

const SERVICE = 'sw4rm.negotiation_room.NegotiationRoomService';

/** The five methods of the Negotiation Room (spec/negotiation-room.md). */
export function roomService(parts: CallParts, room: Negotiations): UntypedServiceImplementation {
  const submitProposal: Method<{ proposal: WireProposal | null }, WireAsked> = {
    service: SERVICE,
    name: 'SubmitProposal',
    permission: 'negotiations.submit',
    place: ({ proposal }) => proposal?.artifact_id ?? '',
    handle: ({ proposal }, { context }) => room.propose(context, proposalOf(proposal)),
  };
  const submitVote: Method<{ vote: WireVote | null }, { artifact_id: string; critic_id: string }> = {
    service: SERVICE,
    name: 'SubmitVote',
    permission: 'negotiations.submit',
    place: ({ vote }) => `${vote?.artifact_id ?? ''}/${vote?.critic_id ?? ''}`,
    async handle({ vote: wire }, { context, trailers }) {
      const vote = voteOf(wire);
      if ((await room.vote(context, vote)) === 'late') trailers.set(DISPOSITION, 'late');
      return { artifact_id: vote.artifact_id, critic_id: vote.critic_id };
    },
  };
  const getVotes: Method<WireAsked, { votes: readonly WireVote[]; vote_count: number }> = {
    service: SERVICE,
    name: 'GetVotes',
    permission: 'negotiations.read',
    place: ({ artifact_id }) => artifact_id,
    async handle(asked, { context }) {
      const { votes, proposal } = await room.view(context.caller, asked);
      return { votes: votes.map((vote) => wireVote(vote, proposal)), vote_count: votes.length };
    },
  };
  const getDecision: Method<WireAsked, { decision: WireDecision | null }> = {
    service: SERVICE,
    name: 'GetDecision',
    permission: 'negotiations.read',
    place: ({ artifact_id }) => artifact_id,
    async handle(asked, { context }) {
      const { decision, proposal } = await room.view(context.caller, asked);
      return { decision: decision && wireDecision(decision, proposal) };
    },
  };
  const waitForDecision: Method<WireAsked & { timeout_seconds: number }, { decision: WireDecision | null }> = {
    service: SERVICE,
    name: 'WaitForDecision',
    permission: 'negotiations.read',
    place: ({ artifact_id }) => artifact_id,
    async handle({ timeout_seconds, ...asked }, { context, signal }) {
      const { decision, proposal } = await room.wait(context.caller, asked, timeout_seconds, signal);
      return { decision: decision && wireDecision(decision, proposal) };
    },
  };
  return {
    SubmitProposal: served(parts, submitProposal),
    SubmitVote: served(parts, submitVote),
    GetVotes: served(parts, getVotes),
    GetDecision: served(parts, getDecision),
    WaitForDecision: served(parts, waitForDecision),
  };
}
