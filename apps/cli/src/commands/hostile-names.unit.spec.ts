import { createColors } from 'picocolors';

import { type FollowedEvent } from '#lib/client';
import type { Divergence } from '#lib/replay';

import type { Client } from '../client.js';
import type { Context } from '../context.js';
import { table } from '../io.js';
import { ask } from './ask.js';
import { diff } from './diff.js';
import { divergenceText } from './divergence-text.js';
import { explain } from './explain.js';
import { events } from './governance.js';
import { unreplayable } from './halts.js';
import { verify } from './integrity.js';
import { show } from './negotiate.js';
import { showCheckpoint } from './proof.js';
import { get } from './sem.js';
import { look } from './sweep.js';
import { tail, watch } from './tail.js';

/** Names that whoever writes into the log's file without a key can give: rows are told before they are trusted. */

/** Clears the line, begins a new one, asks for colours in one sign and in two, turns the direction of writing. */
const HOSTILE = 'a\u001b[2K\r\n\u009b31m\u007f\u202eb';
const SHOWN = 'a�[2K���31m��b';
const BLOCKED = /[\p{Cc}\p{Cf}]/u;

interface Given {
  readonly answer?: object;
  readonly followed?: readonly Partial<FollowedEvent>[];
  readonly json?: boolean;
  readonly isColored?: boolean;
}

/** What a command prints to a person, or to a program, where this is answered. */
async function printed(command: (context: Context) => Promise<unknown>, given: Given): Promise<readonly string[]> {
  const { answer, followed = [], json = false, isColored = false } = given;
  const lines: string[] = [];
  const tell = (line: string): void => void lines.push(line);
  const follow = async function* () {
    for (const event of followed) yield await Promise.resolve({ event: 'message', id: '1-abc', data: {}, ...event });
  };
  const client = { transport: 'server', follow } as unknown as Client;
  const unread = new AbortController().signal;
  const context: Partial<Context> = {
    io: { out: tell, say: tell, colors: createColors(isColored), interactive: false, unread },
    json,
    config: {} as Context['config'],
    client: () => Promise.resolve(client),
    answer: <T>() => Promise.resolve(answer as T),
  };
  await command(context as Context);
  return lines;
}

const UNSIGNED = { position: '7', stream: HOSTILE, revision: 0, reason: `${HOSTILE}!` };
const following = (context: Context) => tail(context, { follow: true });

describe('a name that is no plain text', () => {
  it('cannot hide from a person that a row is not what was signed, nor make up a line', async () => {
    const followed = [{ event: 'unverified', data: UNSIGNED }];
    expect(await printed(following, { followed })).toEqual([`7  NOT WHAT WAS SIGNED  ${SHOWN}  ${SHOWN}!`]);
  });

  it('is told to a program as it is', async () => {
    const followed = [{ event: 'unverified', data: UNSIGNED }];
    const [line] = await printed(following, { followed, json: true });
    expect(JSON.parse(line!)).toEqual({ id: '1-abc', unverified: UNSIGNED });
  });

  it('is one cell of a table, as wide as what is seen of it', () => {
    expect(
      table([
        ['A', 'B'],
        ['\u{e0001}\u001b', 'b'],
      ]),
    ).toEqual(['A   B', '��  b']);
  });

  const job = (context: Context) => watch(context, 'job-1', {});
  const stages = { followed: [{ event: 'progress', data: { at: 'now', stage: HOSTILE } }] };
  const change = {
    kind: 'sem',
    stream: HOSTILE,
    change: 'unreadable',
    from_version: 1,
    to_version: 2,
    reason: HOSTILE,
  };
  const changes = [{ ...change, differences: [{ pointer: HOSTILE, from: HOSTILE, to: null }] }];
  const fault = { detector: 'chain', stream: HOSTILE, revision: 1, position: '7', reason: HOSTILE };
  const walk = {
    state: 'done',
    processed: 1,
    total: 1,
    sound: false,
    faults: 1,
    found: [fault],
    counts: {},
    stream: null,
  };
  const vote = { critic_id: HOSTILE, passed: true, score: 1, confidence: 1 };
  const proposed = { artifact_id: 'a', artifact_type: 't', producer_id: 'p', requested_critics: [], status: 's' };
  const escalation = { critics: [HOSTILE], due_at: 'now', before: { reason: '' } };
  const proposal = { ...proposed, due_at: 'now', votes: [vote], escalation };
  const unmatched = { job_id: HOSTILE, verdict: null, error_code: 'REPLAY_DIVERGENCE', replay_id: 'r' };
  const sweep = { processed: 1, total: 1, counts: {}, unmatched: [], unmatched_total: 1 };
  const checkpoint = { note: 'log', size: 1 };
  it.each<[string, (context: Context) => Promise<unknown>, Given]>([
    ['the stages of a job', job, stages],
    [
      'the end of a stream',
      job,
      { followed: [{ event: 'closed', data: { reason: HOSTILE, error_code: 'AGENT_ERROR' } }] },
    ],
    ['changes', (context) => diff(context, { from: '0' }), { answer: { items: changes, to: '1', next_cursor: null } }],
    ['faults', (context) => verify(context, {}), { answer: { ...walk, verification_id: 'v', digest: null } }],
    ['a failed check', (context) => verify(context, {}), { answer: { ...walk, state: 'failed', reason: HOSTILE } }],
    ['an explanation', (context) => explain(context, 'job-1', {}), { answer: { text: [HOSTILE] } }],
    [
      'what is missing',
      (context) => unreplayable(context, { limit: 1 }),
      { answer: { items: [], counts: {}, at_least: [], by_artifact: [{ artifact: HOSTILE, jobs: 1 }] } },
    ],
    ['a proposal', (context) => show(context, 'a', {}), { answer: proposal }],
    ['a sweep', (context) => look(context, 's'), { answer: { ...sweep, state: 'done', unmatched: [unmatched] } }],
    ['a failed sweep', (context) => look(context, 's'), { answer: { ...sweep, state: 'failed', reason: HOSTILE } }],
    ['a problem of the log', showCheckpoint, { answer: { checkpoint, state: { leaves: 1, problem: HOSTILE } } }],
  ])('is neutral in %s', async (_, command, given) => {
    const lines = await printed(command, given);
    expect(lines.join('')).toContain(SHOWN);
    expect(lines.filter((line) => BLOCKED.test(line))).toEqual([]);
  });

  it('leaves the colours of the line that it stands in', async () => {
    const answer = { items: changes, to: '1', next_cursor: null };
    const [line] = await printed((context) => diff(context, { from: '0' }), { answer, isColored: true });
    expect(line).toBe(`sem ${SHOWN}: ${createColors(true).red('unreadable')}, 1 -> 2 events: ${SHOWN}`);
  });

  it('is neutral in what a replay found', () => {
    const event = JSON.stringify({ [HOSTILE]: HOSTILE });
    const found: Divergence = {
      error_code: 'REPLAY_DIVERGENCE',
      stream: HOSTILE,
      event_number: 3,
      event_type: HOSTILE,
      pointer: HOSTILE,
      recorded: HOSTILE,
      computed: HOSTILE,
      recorded_hash: null,
      computed_hash: null,
      differences: [
        { pointer: HOSTILE, recorded: null, computed: null },
        { pointer: HOSTILE, recorded: null, computed: null },
      ],
      differences_total: 2,
      recorded_event: event,
      computed_event: null,
      causes: { recorded: [{ event_number: 0, event_type: HOSTILE, hash: null }], computed: [] },
      fault: HOSTILE,
    };
    const lines = divergenceText(found);
    expect(lines.filter((line) => BLOCKED.test(line))).toEqual([]);
    expect(lines.filter((line) => line.includes(SHOWN)).length).toBeGreaterThan(4);
  });
});

describe('a text of somebody else', () => {
  const job = { job_id: 'job:1', status: 'completed', agent_id: 'poet_agent' };
  const asked = (context: Context) => ask(context, 'What?', { outputs: true });
  it.each<[string, (context: Context) => Promise<unknown>, object]>([
    ['an answer', asked, { ...job, final_answer: HOSTILE }],
    ['a message', asked, { ...job, user_message: HOSTILE }],
    ['a value of memory', (context) => get(context, 'a/b/c/d'), { value: HOSTILE }],
    ['a value of several members', (context) => get(context, 'a/b/c/d'), { value: { text: HOSTILE } }],
    [
      'a policy',
      (context) => events(context, 'router', {}),
      { items: [], next_cursor: null, in_force: { a: HOSTILE } },
    ],
    ['a checkpoint', showCheckpoint, { checkpoint: { note: HOSTILE, size: 1 }, state: { leaves: 1, problem: null } }],
  ])('moves, hides and colours nothing in %s', async (_, command, answer) => {
    const lines = (await printed(command, { answer })).flatMap((text) => text.split('\n'));
    expect(lines.join('')).toMatch(/a(�|\\u001b)\[2K.*�31m��b/);
    expect(lines.filter((line) => BLOCKED.test(line))).toEqual([]);
  });

  it('keeps its lines, its tabs, and the joiners that its script needs', async () => {
    const text = 'one\r\n\ttwo\nمی\u200cخواهم 👩\u200d🚀';
    expect(await printed(asked, { answer: { ...job, final_answer: text } })).toContain(text.replace('\r', ''));
    expect(await printed(asked, { answer: { ...job, final_answer: 'said\runsaid' } })).toContain('said�unsaid');
  });
});
