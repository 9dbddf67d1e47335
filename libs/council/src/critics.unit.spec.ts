import { watchTimers } from '../../../test/support/watched-timers.js';
import type { CollectedVotes } from './answer-council.js';
import { Critics } from './critics.js';
import { builtInCritics, type Critic, type Question } from './domain/critics.js';
import { examine, type SafetyRules } from './domain/findings.js';
import type { CouncilVote } from './domain/vote.js';

const RULES: SafetyRules = { max_answer_length: 50, max_note_length: 20, refused_phrases: [] };
const OPEN = new AbortController().signal;
const BUILT_IN = ['council_factuality_v1', 'council_coherence_v1', 'council_safety_v1'];
const candidate = { query_text: 'q', agent_id: 'a', text: 'blue', confidence: 1, evidence: [] };
const checks = { evidence_holds: [], recomputed: null, personal_data: [] };
const question: Question = { candidate, checks, rules: RULES, findings: examine(candidate, checks, RULES) };

const voteOf = (council_agent_id: string, note = 'n'): CouncilVote => ({
  council_agent_id,
  scores: { factuality: 1, coherence: 1, safety: 1 },
  approve: true,
  suggested_changes: '',
  note,
  confidence: 1,
});

function critic(critic_id: string, vote: (signal: AbortSignal) => unknown, external = true): Critic {
  return { critic_id, external, vote: (_, closing) => vote(closing.signal) as CouncilVote };
}

/** A critic that votes when it is told to. */
function slow(critic_id: string) {
  let cast = (_: unknown): void => undefined;
  const given = new Promise((resolve) => (cast = resolve));
  return { critic: critic(critic_id, () => given), cast };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('asking the critics', () => {
  it('gives the built-in ones’ votes at once, in the order asked', () => {
    const votes = new Critics().collect(
      { question, critics: [...BUILT_IN].reverse(), timeout_ms: 1 },
      { abandoned: OPEN },
    );
    expect(votes).not.toBeInstanceOf(Promise);
    expect((votes as CollectedVotes).votes.map((vote) => vote.council_agent_id)).toEqual([...BUILT_IN].reverse());
    expect(votes).toMatchObject({ unavailable: {}, collection_timeout_reached: false });
  });

  it.each<[string, () => unknown, string]>([
    ['throws', () => fail(new TypeError('it said 123-45-6789')), 'crashed: TypeError'],
    ['throws what is no error', () => fail('x'), 'crashed: a thrown value that is no error'],
    ['rejects', () => Promise.reject(new RangeError('secret')), 'crashed: RangeError'],
    ['gives nothing', () => undefined, 'malformed vote: no object'],
    ['comes to nothing', () => Promise.resolve(null), 'malformed vote: no object'],
    ['votes as another', () => voteOf('d'), 'malformed vote: council_agent_id: another critic than the one asked'],
    [
      'writes too long a note',
      async () => voteOf('c', 'x'.repeat(21)),
      'malformed vote: note: not a text of at most 20 characters',
    ],
    [
      'cannot be read',
      () => Object.defineProperty({}, 'scores', { get: () => fail(new TypeError('x')) }),
      'crashed: TypeError',
    ],
  ])('takes one that %s as unavailable, and says why without its words', async (_, vote, reason) => {
    const critics = new Critics([critic('c', vote), critic('ok', () => voteOf('ok'))]);
    expect(await critics.collect({ question, critics: ['c', 'ok'], timeout_ms: 1000 }, { abandoned: OPEN })).toEqual({
      votes: [voteOf('ok')],
      unavailable: { c: reason },
      collection_timeout_reached: false,
    });
  });

  it('takes one that nobody installed as unavailable', () => {
    expect(new Critics([]).collect({ question, critics: ['c'], timeout_ms: 1 }, { abandoned: OPEN })).toEqual({
      votes: [],
      unavailable: { c: 'not installed' },
      collection_timeout_reached: false,
    });
  });

  it('closes as soon as the last one has voted, and gives the votes in the order asked', async () => {
    const [first, second] = [slow('first'), slow('second')];
    const critics = new Critics([...builtInCritics(), first.critic, second.critic]);
    const asked = { question, critics: ['first', BUILT_IN[0]!, 'second'], timeout_ms: 600_000 };
    const collecting = critics.collect(asked, { abandoned: OPEN });
    second.cast(voteOf('second'));
    await tick();
    first.cast(voteOf('first'));
    const { votes, collection_timeout_reached } = await collecting;
    expect(votes.map((vote) => vote.council_agent_id)).toEqual(['first', BUILT_IN[0], 'second']);
    expect(collection_timeout_reached).toBe(false);
  });

  it('takes one that hangs as unavailable when the window ends, tells it so, and notes its later vote once', async () => {
    const late: CouncilVote[] = [];
    let told = false;
    const hanging = slow('hanging');
    const listening = critic('hanging', (signal) => {
      signal.addEventListener('abort', () => (told = true));
      return hanging.critic.vote(question, { signal });
    });
    const critics = new Critics([listening, critic('ok', () => voteOf('ok'))]);
    const round = { question, critics: ['hanging', 'ok'], timeout_ms: 5 };
    const collected = await critics.collect(round, { abandoned: OPEN, onLate: (vote) => late.push(vote) });
    expect(collected).toEqual({
      votes: [voteOf('ok')],
      unavailable: { hanging: 'no vote in time' },
      collection_timeout_reached: true,
    });
    expect(told).toBe(true);
    hanging.cast(voteOf('hanging'));
    await tick();
    expect(late).toEqual([voteOf('hanging')]);
    expect(collected.votes).toEqual([voteOf('ok')]);
  });

  it('does not note what is no vote, however late', async () => {
    const onLate = jest.fn();
    const hanging = slow('c');
    await new Critics([hanging.critic]).collect(
      { question, critics: ['c'], timeout_ms: 1 },
      { abandoned: OPEN, onLate },
    );
    hanging.cast({ ...voteOf('c'), confidence: NaN });
    await tick();
    expect(onLate).not.toHaveBeenCalled();
  });

  it.each(['while it waits', 'before it began'])('stops at once where its job is abandoned %s', async (when) => {
    const abandoning = new AbortController();
    const hanging = slow('c');
    if (when === 'before it began') abandoning.abort();
    const round = { question, critics: ['c'], timeout_ms: 600_000 };
    const collecting = new Critics([hanging.critic]).collect(round, { abandoned: abandoning.signal });
    abandoning.abort();
    expect(await collecting).toMatchObject({ votes: [], collection_timeout_reached: true });
  });

  it('leaves no timer behind, however it ends', async () => {
    const timers = watchTimers(/libs\/council\/src\/(?!\w+\.unit\.spec)/);
    const round = (timeout_ms: number) => ({ question, critics: ['c'], timeout_ms });
    const quick = critic('c', async () => voteOf('c'));
    await new Critics([quick]).collect(round(600_000), { abandoned: OPEN });
    await new Critics([slow('c').critic]).collect(round(1), { abandoned: OPEN });
    expect([timers.set.length, timers.left().length]).toEqual([2, 0]);
    jest.restoreAllMocks();
  });

  it('leaves the process only where one that is asked does', () => {
    const critics = new Critics([...builtInCritics(), critic('far', () => voteOf('far'))]);
    expect(critics.leaveProcess(BUILT_IN)).toBe(false);
    expect(critics.leaveProcess([...BUILT_IN, 'unknown'])).toBe(false);
    expect(critics.leaveProcess([...BUILT_IN, 'far'])).toBe(true);
  });
});

function fail(error: unknown): never {
  throw error;
}
