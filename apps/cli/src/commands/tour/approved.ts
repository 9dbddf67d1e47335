import type { Json } from '#lib/kernel';

import { carriedOut, recordOf, type Request, vote } from './council.js';
import { membersOf, ofTypes, type Walk } from './walk.js';

const KEY = 'world/physics/ohms_law/short_form';
const VALUE = 'V = I * R';

/** A fact of the world, asked for by one and allowed by three others, written once by the reactor. */
export async function approvedAndExecuted(walk: Walk): Promise<void> {
  const { guide } = walk;
  guide.chapter(
    'A fact of the world changes when three others agree',
    'Nobody writes what counts for everybody alone: it takes a request, three votes, and nobody votes on their own.',
  );
  const look = { method: 'GET', path: `/sem/${KEY}` } as const;
  const shown = (body: { value?: Json; error_code?: string }, status: number): string =>
    `${status} ${body.error_code ?? JSON.stringify(body.value)}`;
  const before = await walk.call<{ value?: Json }>('tuff', look, `GET /sem/${KEY}`, shown);
  guide.claim('the fact is not there', before.status === 400);

  const payload = { action: 'sem_put', key: KEY, value: VALUE };
  const { status, body: request } = await walk.call<Request>(
    'anna',
    {
      method: 'POST',
      path: '/actionrequest/create',
      body: { kind: 'sem_put', payload, justification: 'asked for in the review before' },
      headers: { 'idempotency-key': 'tour-fact' },
    },
    `asks to put ${JSON.stringify(VALUE)} under ${KEY}`,
    (body, status) => `${status} ${body.status}, ${body.required_approval_type}, ${body.request_id}`,
  );
  guide.claim('it waits for the council', status === 200 && request.required_approval_type === 'council_quorum');
  const own = await vote(walk, 'anna', request, 'approve');
  guide.claim('her own vote is refused', own.status === 403);
  for (const member of ['ben', 'cara', 'dan'] as const) {
    const { status } = await vote(walk, member, request, 'approve');
    guide.claim(`the vote of ${member} counts`, status === 200);
  }
  const done = await carriedOut(walk, request.request_id);
  guide.claim('a reactor carried it out', done?.status === 'executed');
  await onceOnly(walk, request.request_id);
  const after = await walk.call<{ value?: Json }>('tuff', look, `GET /sem/${KEY}`, shown);
  guide.claim('everybody can read it', after.status === 200 && after.body.value === VALUE);
  guide.next('mace governance show REQUEST; mace sem history KEY');
}

async function onceOnly(walk: Walk, id: string): Promise<void> {
  const { guide, house } = walk;
  const events = await recordOf(walk, id);
  const puts = await house.stream(`sem-${KEY}`);
  guide.events(puts, (event) => membersOf(event, 'source', 'key'));
  const [approval, ...more] = ofTypes(events, 'ACTION_APPROVED');
  const executions = ofTypes(events, 'ACTION_EXECUTED');
  guide.claim(
    'one approval, one execution, one write',
    more.length === 0 && executions.length === 1 && puts.length === 1,
  );
  const execution = executions[0]!.data;
  const result = execution['result'] as { event_id?: string };
  const isCaused = execution['approval_event_id'] === approval?.event_id && result.event_id === puts[0]!.event_id;
  guide.claim('the execution names the approval that it follows and the write that it made', isCaused);
}
