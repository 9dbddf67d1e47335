import type { FollowedEvent } from '#lib/client';

import { type Follow, MOST_ROWS, Tail } from './tail.js';

const event = (n: number): FollowedEvent => ({
  event: 'message',
  id: `${n}-log`,
  data: { position: String(n), stream: 's-1', revision: n, type: 'SEM_PUT' },
});

/** A log of so many events, which ends then; each connection notes after what it begins. */
function logOf(size: number) {
  const begun: (string | undefined)[] = [];
  async function* follow(after: string | undefined): AsyncGenerator<FollowedEvent, void> {
    begun.push(after);
    for (let n = Number.parseInt(after ?? '0', 10) + 1; n <= size; n++) yield await Promise.resolve(event(n));
    yield { event: 'closed', id: '', data: { reason: 'up_to_date' } };
  }
  return { begun, follow };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the tail of the log', () => {
  it('keeps a bounded number of the newest rows, drawn once a frame', async () => {
    const frames: (() => void)[] = [];
    const tail = new Tail(logOf(3 * MOST_ROWS).follow, undefined, (draw) => frames.push(draw));
    await tail.run(new AbortController().signal);
    expect(frames).toHaveLength(1);
    frames[0]!();
    const { rows, received, state } = tail.current();
    expect(rows).toHaveLength(MOST_ROWS);
    expect([rows[0]!.position, rows.at(-1)!.position]).toEqual([String(2 * MOST_ROWS + 1), String(3 * MOST_ROWS)]);
    expect([received, state.state]).toEqual([3 * MOST_ROWS, 'closed']);
  });

  it('reads no further than it may keep while it pauses, and goes on without a gap', async () => {
    const log = logOf(MOST_ROWS + 10);
    const tail = new Tail(log.follow, undefined, (draw) => draw());
    tail.pause();
    const running = tail.run(new AbortController().signal);
    while (tail.current().state.state !== 'held') await settled();
    expect(tail.current()).toMatchObject({ rows: [], waiting: MOST_ROWS, isPaused: true });
    tail.resume();
    await running;
    expect(log.begun).toEqual([undefined, `${MOST_ROWS}-log`]);
    const { rows, waiting } = tail.current();
    expect(waiting).toBe(0);
    expect(rows.map(({ revision }) => revision)).toEqual(Array.from({ length: MOST_ROWS }, (_, i) => i + 11));
  });

  it('says where to go on to have its rows again, from before the first of them comes', async () => {
    const seen: (string | undefined)[] = [];
    const follow: Follow = async function* (_after, _signal, _onState, onId) {
      onId('7-log');
      seen.push(tail.current().start);
      for (let n = 8; n <= MOST_ROWS + 9; n++) yield await Promise.resolve(event(n));
    };
    const tail: Tail = new Tail(follow, undefined, (draw) => draw());
    await tail.run(new AbortController().signal);
    const { start, rows } = tail.current();
    expect([seen, start, rows[0]!.id]).toEqual([['7-log'], '9-log', '10-log']);
  });

  it('comes back paused with a windowful from where it was, and lets the rest wait', async () => {
    const tail = new Tail(logOf(100).follow, '40-log', (draw) => draw(), 30);
    await tail.run(new AbortController().signal);
    const { rows, waiting, isPaused, start } = tail.current();
    expect([rows[0]!.id, rows.length, waiting, isPaused, start]).toEqual(['41-log', 30, 30, true, '40-log']);
  });

  it('says why it cannot go on', async () => {
    const error = new Error('refused');
    const follow = async function* (): AsyncGenerator<FollowedEvent, void> {
      throw await Promise.resolve(error);
    };
    const tail = new Tail(follow, undefined, (draw) => draw());
    await tail.run(new AbortController().signal);
    expect(tail.current().state).toEqual({ state: 'failed', error });
  });
});
