import type { JobDesk } from './job-desk.js';
import { JobAbandonedError } from './job-runner.js';
import { finishLeftJobs } from './recovery.js';

/** A desk on which each job that is resumed ends when the test says so. */
class Desk {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, (error?: Error) => void>();
  isClosing = false;

  load(id: string) {
    return Promise.resolve({ id, sealed: false });
  }

  resume({ id }: { readonly id: string }) {
    this.begun.push(id);
    const result = new Promise<void>((resolve, reject) =>
      this.ends.set(id, (error) => (error ? reject(error) : resolve())),
    );
    return Promise.resolve({ result });
  }

  end(id: string, error?: Error): void {
    this.ends.get(id)!(error);
    this.ends.delete(id);
  }

  get underway(): readonly string[] {
    return [...this.ends.keys()];
  }
}

const JOBS = Array.from({ length: 20 }, (_, n) => `job-${n}`);

describe('jobs that an earlier process left behind', () => {
  let desk: Desk;
  let report: ReturnType<typeof finishLeftJobs>;
  beforeEach(async () => {
    desk = new Desk();
    report = finishLeftJobs(desk as unknown as JobDesk, { list: () => Promise.resolve(JOBS) });
    await settled();
  });

  it('are finished beside each other, eight at most, so that one which waits for an engine holds up no other', async () => {
    expect(desk.underway).toEqual(JOBS.slice(0, 8));
    while (desk.underway.length > 1) {
      expect(desk.underway.length).toBeLessThanOrEqual(8);
      desk.end(desk.underway.at(-1)!);
      await settled();
    }
    expect(desk.underway).toEqual(['job-0']);
    expect(desk.begun).toEqual(JOBS);
    desk.end('job-0');
    expect(await report).toEqual({ finished: JOBS.length, left: [] });
  });

  it('of which one cannot be finished are told by their names, and the others are finished', async () => {
    desk.end('job-3', new TypeError('what was stored'));
    while ((await settled(), desk.underway.length > 0)) desk.end(desk.underway[0]!);
    expect(await report).toEqual({ finished: 19, left: [{ job_id: 'job-3', reason: 'TypeError' }] });
  });

  it('are left to the next start where the desk closes meanwhile', async () => {
    desk.isClosing = true;
    for (const id of desk.underway) desk.end(id, new JobAbandonedError(id));
    expect(await report).toEqual({ finished: 0, left: [] });
    expect(desk.begun).toHaveLength(8);
  });
});

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
