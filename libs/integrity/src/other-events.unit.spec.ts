import type { Fault } from './domain/fault.js';
import { placeOthers } from './other-events.js';
import type { OtherEvent, ProofCheck } from './proof-check.js';
import type { IntegrityRules } from './range/rules.js';

const rules = { jobs: { prefix: 'job-' }, snapshots: { prefix: 'snapshot-' } } as IntegrityRules;
const event = (stream: string, revision: number): OtherEvent => ({ stream, revision, position: String(revision + 1) });

async function placed(
  parts: readonly (readonly OtherEvent[])[],
  room: number,
  signal = new AbortController().signal,
): Promise<{ readonly count: number | null; readonly told: readonly string[]; readonly withdrawn: readonly string[] }> {
  const [told, withdrawn]: [string[], string[]] = [[], []];
  const name = ({ stream, revision }: Fault): string => `${stream} ${revision}`;
  const proof = {
    async *others() {
      yield* parts;
    },
  } as unknown as ProofCheck;
  const count = await placeOthers(proof, {
    rules,
    room,
    signal,
    isTold: ({ stream, revision }) => stream === 'job-known' && revision === 1,
    onFaults: (faults) => void told.push(...faults.map(name)),
    withdraw: async (faults) => void withdrawn.push(...faults.map(name)),
  });
  return { count, told, withdrawn };
}

it('tells each event that no other check has told, up to the bound, and beyond it takes jobs and snapshots out of use once a part', async () => {
  const first = [event('job-known', 1), event('job-known', 2), event('notes', 3)];
  const second = [event('job-a', 4), event('job-b', 5), event('job-b', 6), event('notes', 7), event('snapshot-s', 0)];
  const third = [event('job-b', 8)];
  expect(await placed([first, second, third], 3)).toEqual({
    count: 8,
    told: ['job-known 2', 'notes 3', 'job-a 4'],
    withdrawn: ['job-b 5', 'snapshot-s 0', 'job-b 8'],
  });
});

it('tells no number where it was stopped', async () => {
  const signal = AbortSignal.abort();
  expect(await placed([[event('job-a', 1)]], 3, signal)).toEqual({ count: null, told: [], withdrawn: [] });
});
