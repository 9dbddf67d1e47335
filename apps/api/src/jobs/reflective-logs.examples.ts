import type { JsonObject } from '#lib/kernel';

import { JOB_ID, LOG_ID } from './jobs.examples.js';

/** Examples of the documentation: what was recorded of a job, and what is said of it later. */

export const AMENDMENT = {
  amendment_id: 'am-0123456789abcdef0123456789abcdef',
  target_log_id: LOG_ID,
  created_at: '2026-11-21T12:57:00.000Z',
  author: 'user_tuff',
  author_role: 'owner',
  effect: 'note',
  changes: { note: 'checked by hand' },
};

export const GROUND_TRUTH = {
  event_id: '0d6b1a3c5e7f90214365871a9bacbdced0e1f2031425364758697a8b9cadbecf',
  target_log_id: LOG_ID,
  job_id: JOB_ID,
  node_id: 'agent:profile_v1',
  created_at: '2026-11-21T13:05:00.000Z',
  author: 'user_cora',
  author_role: 'council',
  correct: true,
  note: 'as the person said it',
};

export const AUDIT_TAG_ADDED = {
  event_id: '1e7c2b4d6f80a132547698abbcadcedfe1f2031425364758697a8b9cadbecfd0',
  target_log_id: LOG_ID,
  created_at: '2026-11-21T13:06:00.000Z',
  author: 'user_ada',
  tag: 'sample-2026-q4',
  note: 'drawn for the quarterly look',
};

export const LOG = {
  log_id: LOG_ID,
  created_at: '2026-11-21T12:56:19.826Z',
  source: 'user_request',
  query_id: 'q-d0f01c412ed3b51034c17110c5f5a78f',
  query_text_hash: '6647236a3d7f7d796401fbbe96d630f269d1beb3185d76b092f3125c25cd514d',
  qcp_summary: { depth_level: 0, intent_tags: ['profile', 'fact'], urgency: 'normal' },
  agents_invoked: ['profile_agent'],
  agent_outputs: [
    {
      event_id: '366afca9cbab36b1d3db0bacf8091d0e87a4aadda44c75d35c79ddbb935ee485',
      agent_id: 'profile_agent',
      text: 'Your favorite color is blue.',
      confidence: 1,
      reasoning_trace: ['read user/profile/user_tuff/favorite_color at revision 0'],
      tokens: 7,
      time_ms: 1.489,
      evidence: [
        {
          key: 'user/profile/user_tuff/favorite_color',
          revision: 0,
          timestamp: '2026-11-21T12:56:19.608Z',
          value: 'blue',
        },
      ],
    },
  ],
  council_votes: [
    {
      event_id: '1523f6d214cf56f2f5f92070fc83e6be9914d8da5178082aebb2fedf2af5c173',
      council_agent_id: 'council_factuality_v1',
      scores: { coherence: 1, factuality: 1, safety: 1 },
      approve: true,
      suggested_changes: '',
      note: 'every piece of evidence was read again and holds',
      confidence: 1,
    },
  ],
  final_answer: 'Your favorite color is blue.',
  final_confidence: 1,
  repair_loops: 0,
  cache_hit: false,
  sem_snapshot_hash: '8c6c0f965aa9645d85166e0ed4098bb02e4c042f6a39ea484e2be630e0034617',
  runtime_metrics: { per_agent_time_ms: { profile_agent: 1.489 }, tokens_used: 7, total_time_ms: 1.489 },
  system_version: 'mace-0.0.1',
  signature: '48f88fae94dc4bf423cc9c12639aa0ce2b3423a9fa5a406aa65fb81a37e58f86',
  job_id: JOB_ID,
  job_seed: 'cmd:5c9cb3d79acd5c16275ab0a20925e6c7',
  snapshots: { router: 'fde2c99061068db99e78045c9e968034ee6804f2a7d8df9192e863deb5c734ca' },
  iteration_trace: [
    {
      agent_id: 'profile_agent',
      iteration: 1,
      router_event: '6cac993bf1239695de3bb00d5cd418aefb1681eb6739d0ecd9ff6355e0a9e5f1',
    },
  ],
  event_refs: [
    '366afca9cbab36b1d3db0bacf8091d0e87a4aadda44c75d35c79ddbb935ee485',
    '1523f6d214cf56f2f5f92070fc83e6be9914d8da5178082aebb2fedf2af5c173',
  ],
  replayable: true,
  missing_artifacts: [],
  amendments: [AMENDMENT],
  user_feedback: [
    {
      author: 'user_tuff',
      comment: 'right',
      created_at: '2026-11-21T12:56:20.038Z',
      job_id: JOB_ID,
      target_log_id: LOG_ID,
      upvote: true,
      user_id: 'user_tuff',
    },
  ],
  ground_truth_label: [GROUND_TRUTH],
  audit_tags: [AUDIT_TAG_ADDED],
};

export const LOG_FORMS: Readonly<Record<string, JsonObject>> = {
  qcp_summary: { type: ['object', 'null'] },
  agent_outputs: { type: 'array', items: { type: 'object' } },
  council_votes: { type: 'array', items: { type: 'object' } },
  final_answer: { type: ['string', 'null'] },
  runtime_metrics: { type: 'object' },
  snapshots: { type: 'object', additionalProperties: { type: 'string' } },
  iteration_trace: { type: 'array', items: { type: 'object' } },
  amendments: { type: 'array', items: { type: 'object' } },
  user_feedback: { type: 'array', items: { type: 'object' } },
  ground_truth_label: { type: 'array', items: { type: 'object' } },
  audit_tags: { type: 'array', items: { type: 'object' } },
};

const AUTHOR_ROLE = { type: 'string', enum: ['owner', 'admin', 'council', 'emergency'] };

export const GROUND_TRUTH_FORMS: Readonly<Record<string, JsonObject>> = {
  author_role: AUTHOR_ROLE,
  'note?': { type: 'string' },
};

export const AUDIT_TAG_FORMS: Readonly<Record<string, JsonObject>> = { 'note?': { type: 'string' } };

const REPLAY_OF_AMENDMENT = { type: 'string', description: 'Of one that asks to look again: its replay.' };

export const AMENDMENT_FORMS: Readonly<Record<string, JsonObject>> = {
  author_role: AUTHOR_ROLE,
  effect: { type: 'string', enum: ['note', 'override_suggestion', 'revalidate'] },
  changes: { type: 'object' },
  'items.changes': { type: 'object' },
  'replay_id?': REPLAY_OF_AMENDMENT,
  'items.replay_id?': REPLAY_OF_AMENDMENT,
};

export const VERDICT = { log_id: LOG_ID, valid: true, reason: null, quarantined: false };

export const INVALID_VERDICT = { ...VERDICT, valid: false, reason: 'the signature does not fit', quarantined: true };
