import type { Command } from '@nestjs/cqrs';

import { type Principal } from '#lib/access';
import { ApproveRequest, CreateActionRequest, type RequestView, VoteOnRequest } from '#lib/governance';
import { Ask, GiveFeedback, type JobResult } from '#lib/jobs';
import type { Json, JsonObject } from '#lib/kernel';
import { DeleteValue, PutValue } from '#lib/memory';
import { GrantConsent, RevokeConsent } from '#lib/privacy';

import {
  ADA,
  ANNA,
  BEN,
  CARA,
  ctxOf,
  DAN,
  OSCAR,
  person,
} from '../../libs/governance/src/testing/governance-harness.js';
import type { Draw } from './draw.js';

/** A command that a client has decided on; made again, with the same key and body, at each try. */
export interface Planned {
  readonly kind: string;
  readonly by: Principal;
  /** Under which whatever it appends stands in the log. */
  readonly seed: string;
  /** Type of the event that it leaves, once. */
  readonly effect: string;
  /** What it says, where that is told from others' by its content. */
  readonly write?: { readonly key: string; readonly value: Json; readonly ifMatch?: number };
  command(now: number): Command<unknown>;
  learn?(answer: unknown): void;
}

/** What clients tell each other. */
export interface Board {
  readonly requests: { readonly id: string; readonly digest: string; readonly isLow: boolean }[];
  readonly jobs: { readonly id: string; readonly by: Principal }[];
  readonly consents: string[];
}

export const TUFF = person('user_tuff', 'user');
export const EVE = person('user_eve', 'user');
const COUNCIL = [ANNA, BEN, CARA, DAN];
/** One register each, which several clients write at once. */
export const KEYS = ['favorite_color', 'city'].map((name) => `user/profile/user_tuff/${name}`);
const CONTACT = 'user/profile/user_tuff/contact';
/** Written by nobody but the council. */
export const MOTTO = 'user/profile/user_oscar/motto';
const QUESTIONS = [
  'What is 2 + 3 * 4?',
  'What is my favorite color?',
  'Remember that my favorite food is pizza.',
  'Write a poem about the sea.',
  'Write a poem about the rain.',
  'Make a plan for the week.',
  'What is the boiling point of gold?',
  'My phone number is +1 202 456 1111, please remember it.',
];

interface Making {
  readonly name: string;
  readonly draw: Draw;
  readonly board: Board;
}

export type Make = (making: Making) => Planned | null;

/** A command with a key of its own, whose every try says the same. */
function planned(
  { name }: Making,
  plan: Omit<Planned, 'seed' | 'command'> & { readonly body: JsonObject; readonly seed?: string },
  make: (ctx: ReturnType<typeof ctxOf>) => Command<unknown>,
): Planned {
  const { body, kind, by } = plan;
  const ctx = (now: number) => ctxOf(by, { now, key: name, body, path: `/${kind}` });
  return { ...plan, seed: plan.seed ?? ctx(0).seed, command: (now) => make(ctx(now)) };
}

export function planPut(making: Making, key: string, value: Json, ifMatch?: number): Planned {
  const write = { key, value, ...(ifMatch === undefined ? {} : { ifMatch }) };
  return planned(
    making,
    { kind: 'put', by: TUFF, effect: 'SEM_PUT', write, body: write },
    (ctx) => new PutValue(ctx, write),
  );
}

const put: Make = (making) => planPut(making, making.draw.one(KEYS), making.name);

/** Personal data: stored where a consent covers it, refused where none does. */
const contact: Make = (making) => planPut(making, CONTACT, `tuff.${making.name.replaceAll('.', '-')}@gmail.com`);

const remove: Make = (making) => {
  const key = making.draw.one(KEYS);
  const write = { key, value: null };
  return planned(
    making,
    { kind: 'delete', by: ADA, effect: 'sem_delete', write, body: { key } },
    (ctx) => new DeleteValue(ctx, { key }),
  );
};

const ask: Make = (making) => {
  const { draw, board } = making;
  const by = draw.one([TUFF, EVE]);
  const query_text = draw.one(QUESTIONS);
  const patience = draw.between(0, 4000);
  const shared = draw.chance(0.3) ? `seed-${by.id}-${QUESTIONS.indexOf(query_text)}` : undefined;
  const body = { query_text, ...(shared === undefined ? {} : { job_seed: shared }) };
  const learn = (answer: unknown): void => void board.jobs.push({ id: (answer as JobResult).job_id, by });
  const plan = {
    kind: 'ask',
    by,
    effect: 'JOB_ACCEPTED',
    body,
    learn,
    ...(shared === undefined ? {} : { seed: shared }),
  };
  return planned(making, plan, (ctx) => new Ask(ctx, body, patience));
};

const feedback: Make = (making) => {
  const { draw, board } = making;
  if (board.jobs.length === 0) return null;
  const { id, by } = draw.one(board.jobs);
  const upvote = draw.chance(0.5);
  const plan = { kind: 'feedback', by, effect: 'FEEDBACK_GIVEN', body: { id, upvote } };
  return planned(making, plan, (ctx) => new GiveFeedback(ctx, id, upvote, undefined));
};

const request: Make = (making) => {
  const { draw, board, name } = making;
  const isLow = draw.chance(0.2);
  const payload = draw.one<JsonObject>([
    ...Array.from({ length: 3 }, () => ({ action: 'sem_put', key: MOTTO, value: name })),
    { action: 'policy_change', policy: 'router', change: { min_score: draw.between(1, 9) / 20 } },
  ]);
  const asked = { payload: isLow ? { action: 'maintenance', what: name } : payload, justification: 'it is wanted' };
  const learn = (answer: unknown): void => {
    const { request_id: id, proposal_digest: digest } = answer as RequestView;
    board.requests.push({ id, digest, isLow });
  };
  const plan = { kind: 'request', by: OSCAR, effect: 'ACTION_REQUESTED', body: asked, learn };
  return planned(making, plan, (ctx) => new CreateActionRequest(ctx, asked));
};

const vote: Make = (making) => {
  const { draw, board } = making;
  if (board.requests.length === 0) return null;
  const { id, digest, isLow } = draw.one(board.requests.slice(-2));
  const say = { proposal_digest: digest };
  if (isLow) {
    const plan = { kind: 'approve', by: ADA, effect: 'ACTION_VOTE', body: { id } };
    return planned(making, plan, (ctx) => new ApproveRequest(ctx, id, say));
  }
  const ballot = draw.chance(0.9) ? 'approve' : 'reject';
  const plan = { kind: 'vote', by: draw.one(COUNCIL), effect: 'ACTION_VOTE', body: { id, ballot } };
  return planned(making, plan, (ctx) => new VoteOnRequest(ctx, id, ballot, say));
};

const grant: Make = (making) => {
  const asked = {
    pii_type: 'email',
    scope: 'persistent',
    consent_text: 'My address may be kept.',
    ttl_seconds: 40,
  } as const;
  const learn = (answer: unknown): void =>
    void making.board.consents.push((answer as { readonly consent_id: string }).consent_id);
  const plan = { kind: 'grant', by: TUFF, effect: 'PII_CONSENT', body: asked, learn };
  return planned(making, plan, (ctx) => new GrantConsent(ctx, asked));
};

const revoke: Make = (making) => {
  const { draw, board } = making;
  if (board.consents.length === 0) return null;
  const id = draw.one(board.consents);
  const plan = { kind: 'revoke', by: TUFF, effect: 'PII_CONSENT_REVOKE', body: { id } };
  return planned(making, plan, (ctx) => new RevokeConsent(ctx, id));
};

/** What goes together, each as often as it stands here. */
const THEMES = {
  memory: [put, put, put, remove],
  jobs: [ask, ask, ask, feedback],
  council: [request, request, vote, vote, vote, vote, vote],
  consent: [grant, contact, contact, revoke],
} satisfies Record<string, readonly Make[]>;

export type Theme = keyof typeof THEMES;

/** What the clients of one history send: rarely everything, so that some are full of what others hardly have. */
export function drawMix(draw: Draw, theme?: Theme): readonly Make[] {
  const all = Object.values(THEMES);
  const mix = theme === undefined ? all.filter(() => draw.chance(0.5)).flat() : THEMES[theme];
  return mix.length === 0 ? draw.one(all) : mix;
}

/** The next command of a client; one that needs what is not there yet is another one. */
export function planCommand(making: Making, mix: readonly Make[]): Planned {
  return making.draw.one(mix)(making) ?? put(making)!;
}
