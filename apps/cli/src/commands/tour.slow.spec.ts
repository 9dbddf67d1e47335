import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createColors } from 'picocolors';

import { KnowledgeAgent } from '#lib/agents';
import { retryAllowed } from '#lib/kernel';

import { run } from '../run.js';
import type { Chapter, EventLine } from './tour/guide.js';

/** The tour for real: both houses, every chapter, nothing put in place of anything but what the tour itself replaces. */

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const jobOf = (seed: string): string => `job:${sha256(`${seed}:job`).slice(0, 32)}`;
const HANGING = ['tour:hang-1', 'tour:hang-2', 'tour:hang-3', 'tour:hang-4', 'tour:hang-5'].find(retryAllowed)!;

interface Told {
  readonly holds: boolean;
  readonly chapters: readonly Chapter[];
}

const temporary = process.env['TMPDIR'];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-tour-spec-'));
  process.env['TMPDIR'] = folder;
});
afterEach(() => {
  jest.restoreAllMocks();
  delete process.env['MACE_LOG_LEVEL'];
  if (temporary === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = temporary;
  rmSync(folder, { recursive: true, force: true });
});

async function tour(...options: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run([...options, 'tour'], {
    out: (line) => void out.push(line),
    say: (line) => void err.push(line),
    colors: createColors(false),
    interactive: false,
    unread: new AbortController().signal,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

function excerptOfReadme(): string {
  const readme = readFileSync('README.md', 'utf8');
  const [, excerpt = ''] = /with some lines left out:\n\n```\n(.*?)```/s.exec(readme) ?? [];
  expect(linesOf(excerpt).length).toBeGreaterThan(40);
  return excerpt;
}

/** Without ids, some of which are drawn, and columns, whose widths follow from what stands in other lines. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) =>
    line
      .replace(/[0-9a-f]{16,}/g, 'ID')
      .replace(/ +/g, ' ')
      .trim(),
  );
  return lines.filter((line) => line !== '' && line !== '...');
}

/** Those of an excerpt that do not come in their order. */
function missingFrom(lines: readonly string[], excerpt: readonly string[]): readonly string[] {
  let at = 0;
  return excerpt.filter((line) => {
    const found = lines.indexOf(line, at);
    if (found >= 0) at = found + 1;
    return found < 0;
  });
}

describe('mace tour', () => {
  it('makes happen what it shows: failures, a repair, a deadlock, an approval, a negotiation, and a record that proves it', async () => {
    const { code, out, err } = await tour('--json');
    expect(err).toBe('');
    const { holds, chapters } = JSON.parse(out) as Told;
    expect({ code, holds }).toEqual({ code: 0, holds: true });
    const events = chapters.flatMap((chapter) => chapter.events);
    for (const chapter of chapters) expect(chapter.claims.filter((claim) => !claim.holds)).toEqual([]);
    expect(chapters.filter((chapter) => chapter.claims.length === 0)).toEqual([]);
    aWrongAnswerIsRepaired(events);
    aDeadlockReachesPeople(events);
    anApprovedWriteHappensOnce(events);
    aFailingAgentIsTakenOffline(events);
    anOwnAgentIsCorrected(events);
    aThirdCriticComesLate(chapters);
    everyJobMatches(chapters);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('tells the same as lines without colours, each event with its id, and leaves no folder behind', async () => {
    const { code, out, err } = await tour();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toMatch(/\u001b/);
    expect(out).not.toContain('NOT SO');
    for (const [seed, type, index] of [
      ['tour:recall', 'JOB_ACCEPTED', 0],
      ['tour:repair', 'COUNCIL_DECISION', 9],
      ['tour:crash-1', 'AGENT_EXCEPTION', 5],
    ] as const) {
      expect(out).toContain(`stream job-${jobOf(seed)}\n`);
      const id = sha256(`${seed}:${index}:${type}`).slice(0, 16);
      expect(out).toMatch(new RegExp(`^ +${index} +${type} +${id}`, 'm'));
    }
    expect(out).toMatch(/^ +\d+ +NODE_OFFLINE +[0-9a-f]{16} +node_id agent:math_v1/m);
    expect(missingFrom(linesOf(out), linesOf(excerptOfReadme()))).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('ends with 2 at the first claim that does not hold, and names it', async () => {
    // The crash is logged; here it is wanted.
    process.env['MACE_LOG_LEVEL'] = 'silent';
    jest.spyOn(KnowledgeAgent.prototype, 'answer').mockRejectedValue(new Error('gone'));
    const { code, out, err } = await tour('--json');
    expect(code).toBe(2);
    expect(err).toBe('mace: the tour ends here, this is not so: each question found the agent for its kind');
    const { holds, chapters } = JSON.parse(out) as Told;
    expect(holds).toBe(false);
    expect(chapters.at(-1)!.claims).toEqual([{ claim: 'each question found the agent for its kind', holds: false }]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['in the first house', '1. Tell it something'],
    ['in the second', '8. A wrong answer'],
  ])('an interrupt %s ends it with 130, and its folder is gone', async (_, line) => {
    const child = spawn(process.execPath, [join('dist', 'apps', 'cli', 'src', 'main.js'), 'tour'], {
      env: { PATH: process.env['PATH'], TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      const before = out.includes(line);
      out += chunk;
      if (!before && out.includes(line)) child.kill('SIGINT');
    });
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** Events of a job among those that were told, as [type, id, the members named]. */
function of(events: readonly EventLine[], seed: string, type: string): readonly EventLine[] {
  return events.filter((event) => event.stream === `job-${jobOf(seed)}` && event.type === type);
}

function aWrongAnswerIsRepaired(events: readonly EventLine[]): void {
  const decisions = of(events, 'tour:repair', 'COUNCIL_DECISION');
  expect(decisions.map(({ data }) => [data['outcome'], data['repair_loops']])).toEqual([
    ['rejected', 0],
    ['approved', 1],
  ]);
  const outputs = of(events, 'tour:repair', 'AGENT_OUTPUT');
  expect(outputs.map(({ data }) => data['text'])).toEqual(['17 * 23 = 381.', '17 * 23 = 391.']);
  expect(decisions.map(({ data }) => data['candidate_event_id'])).toEqual(outputs.map(({ event_id }) => event_id));
  const invoked = of(events, 'tour:repair', 'AGENT_INVOKED');
  expect(invoked.map(({ data }) => data['suggested_changes'])).toEqual([[], ['Compute the result again.']]);
}

function aDeadlockReachesPeople(events: readonly EventLine[]): void {
  const outcomes = of(events, 'tour:deadlock', 'COUNCIL_DECISION').map(({ data }) => data['outcome']);
  expect(outcomes).toEqual(['deadlock', 'deadlock']);
  const [wish, ...more] = of(events, 'tour:deadlock', 'ACTION_REQUESTED');
  expect(more).toEqual([]);
  const asked = requestTo(events, 'human_review');
  // The request follows from the wish of that job and from nothing else.
  expect(asked.event_id).toBe(sha256(`after:human-review:${wish!.event_id}:0:ACTION_REQUESTED`));
  expect(ballots(events, asked.stream)).toEqual([
    ['user_anna', 'approve'],
    ['user_ben', 'reject'],
    ['user_cara', 'approve'],
  ]);
  const [approved, ...others] = inStream(events, asked.stream, 'ACTION_APPROVED');
  expect(others).toEqual([]);
  const amendments = events.filter(({ type }) => type === 'AMENDMENT_ADDED');
  expect(amendments.map(({ event_id }) => event_id)).toEqual([
    sha256(`after:human-review-ruling:${approved!.event_id}:0:AMENDMENT_ADDED`),
  ]);
}

function anApprovedWriteHappensOnce(events: readonly EventLine[]): void {
  const asked = requestTo(events, 'sem_put');
  expect(asked.data['requested_by']).toBe('user_anna');
  expect(ballots(events, asked.stream)).toEqual([
    ['user_ben', 'approve'],
    ['user_cara', 'approve'],
    ['user_dan', 'approve'],
  ]);
  const [approved, ...moreApprovals] = inStream(events, asked.stream, 'ACTION_APPROVED');
  const [executed, ...moreExecutions] = inStream(events, asked.stream, 'ACTION_EXECUTED');
  expect([moreApprovals, moreExecutions]).toEqual([[], []]);
  expect(executed!.data['approval_event_id']).toBe(approved!.event_id);
  const puts = inStream(events, 'sem-world/physics/ohms_law/short_form', 'SEM_PUT');
  expect(puts.map(({ event_id }) => event_id)).toEqual([
    sha256(`after:action-executor:${approved!.event_id}:0:SEM_PUT`),
  ]);
  expect(executed!.data['result']).toMatchObject({ event_id: puts[0]!.event_id });
}

function aFailingAgentIsTakenOffline(events: readonly EventLine[]): void {
  expect(of(events, HANGING, 'AGENT_TIMEOUT')).toHaveLength(1);
  expect(of(events, HANGING, 'RETRY_ATTEMPT').map(({ data }) => data['attempt_index'])).toEqual([1]);
  for (const seed of ['tour:crash-1', 'tour:crash-2']) {
    expect(of(events, seed, 'AGENT_EXCEPTION').map(({ data }) => data['agent_id'])).toEqual(['math_agent']);
  }
  for (const seed of [HANGING, 'tour:crash-1', 'tour:crash-2']) {
    const asked = of(events, seed, 'ROUTER_DECISION').map(({ data }) => data['agent_id']);
    expect(asked).toEqual(['math_agent', 'generic_agent']);
  }
  const [offline, ...more] = inStream(events, 'module-agent:math_v1', 'NODE_OFFLINE');
  expect(more).toEqual([]);
  const reaction = `after:incidents:${offline!.event_id}`;
  const incident = events.filter(({ data }) => data['cause_event_id'] === offline!.event_id);
  expect(incident.map(({ type, event_id }) => [type, event_id])).toEqual([
    ['INCIDENT_CREATED', sha256(`${reaction}:0:INCIDENT_CREATED`)],
    ['ADMIN_ALERT', sha256(`${reaction}:1:ADMIN_ALERT`)],
  ]);
  expect(of(events, 'tour:offline', 'ROUTER_DECISION')[0]!.data['route_trace']).toMatchObject({
    excluded: [{ node_id: 'agent:math_v1', reason: 'offline' }],
  });
  expect(inStream(events, 'module-agent:math_v1', 'MODULE_RESTORED')).toHaveLength(1);
}

function anOwnAgentIsCorrected(events: readonly EventLine[]): void {
  const outputs = of(events, 'tour:own-agent', 'AGENT_OUTPUT');
  expect(outputs.map(({ data }) => [data['agent_id'], data['text']])).toEqual([
    ['host_agent', 'Come to our party on Saturday, and call Ann on +44 20 7946 0958!'],
    ['host_agent', 'Come to our party on Saturday!'],
  ]);
  const invoked = of(events, 'tour:own-agent', 'AGENT_INVOKED');
  expect(invoked.map(({ data }) => data['suggested_changes'])).toEqual([[], ['Leave personal data out.']]);
}

function aThirdCriticComesLate(chapters: readonly Chapter[]): void {
  const chapter = chapters.find(({ events }) => events.some(({ type }) => type === 'OUTSIDE_CRITICS_ASKED'))!;
  // The tour ends with it, and with the proof of all that went before.
  const after = chapters.slice(chapters.indexOf(chapter) + 1).flatMap(({ steps }) => steps);
  expect(after.filter(({ path }) => path === '/jobs')).toEqual([]);
  const calls = chapter.steps.filter(({ method }) => method === 'gRPC');
  expect(calls.map(({ by, path, answer }) => [by, path, answer['said']])).toEqual([
    ['iris', 'RegisterAgent', 'accepted'],
    ['jonas', 'RegisterAgent', 'accepted'],
    ['kim', 'RegisterAgent', 'accepted'],
    ['iris', 'SubmitVote', 'counted'],
    ['jonas', 'SubmitVote', 'counted'],
    ['kim', 'SubmitVote', 'late'],
  ]);
  const { events } = chapter;
  const [output] = of(events, 'tour:negotiation', 'OUTSIDE_CRITICS_ASKED');
  const artifact = output!.data['artifact_id'] as string;
  expect(artifact).toBe(`mace-answer-${sha256('tour:negotiation:5:AGENT_OUTPUT')}`);
  const room = events.filter(({ stream }) => stream === `negotiation-${artifact}`);
  expect(room.map(({ type, data }) => [type, data['critic_id']])).toEqual([
    ['NEGOTIATION_PROPOSED', undefined],
    ['VOTE_CAST', 'iris'],
    ['VOTE_CAST', 'jonas'],
    ['VOTE_WINDOW_CLOSED', undefined],
    ['NEGOTIATION_DECIDED', undefined],
    ['LATE_VOTE', 'kim'],
  ]);
  const votes = of(events, 'tour:negotiation', 'COUNCIL_VOTE').map(({ data }) => data['council_agent_id']);
  expect(votes.slice(3)).toEqual(['iris', 'jonas']);
  expect(of(events, 'tour:negotiation', 'COUNCIL_DECISION').map(({ data }) => data)).toEqual([
    expect.objectContaining({
      outcome: 'approved',
      votes_received: 5,
      collection_timeout_reached: true,
      unavailable_reasons: { kim: 'no vote in time: silent' },
    }),
  ]);
}

function everyJobMatches(chapters: readonly Chapter[]): void {
  const steps = chapters.flatMap((chapter) => chapter.steps);
  const asked = steps.filter(({ path }) => path === '/jobs').map(({ body }) => jobOf(body!['job_seed'] as string));
  const replays = steps.filter(({ path }) => path === '/replay/request');
  expect(replays.map(({ body }) => body!['job_id'])).toEqual(asked);
  expect(new Set(replays.map(({ answer }) => answer['verdict']))).toEqual(new Set(['MATCH']));
  const reruns = steps.filter(({ path }) => path.includes('/reruns/'));
  const digests = reruns.map(({ answer }) => answer['result'] as { live_digest: string; scratch_digest: string });
  const rerun = reruns.map(({ path }) => path.split('/')[2]);
  expect(rerun).toEqual(['jobs', 'jobs', 'sem', 'selfrep', 'actionrequests', 'negotiations']);
  for (const { live_digest, scratch_digest } of digests) expect(scratch_digest).toBe(live_digest);
}

function inStream(events: readonly EventLine[], stream: string, type: string): readonly EventLine[] {
  return events.filter((event) => event.stream === stream && event.type === type);
}

/** The first event of the governance request for an action. */
function requestTo(events: readonly EventLine[], action: string): EventLine {
  return events.find(({ stream, data }) => stream.startsWith('actionrequest-') && data['action'] === action)!;
}

function ballots(events: readonly EventLine[], stream: string): readonly unknown[] {
  return inStream(events, stream, 'ACTION_VOTE').map(({ data: { voter, vote } }) => [voter, vote]);
}
