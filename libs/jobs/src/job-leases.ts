import type { Checkpoint, Generation, ReadStore } from '#lib/read-store';

const LEASES = 'job-leases';
/** After so many leases in which it said nothing a process is forgotten; what it ran was taken over long before. */
const FORGOTTEN_AFTER = 10;

/**
 * Which jobs run in which living process, kept outside their streams (spec/decisions.md, "Jobs"). A job's first lease costs
 * nothing: whoever looks for left jobs counts from when it first saw one. Only what runs longer is named here, by the
 * process that runs it, all at once.
 */
export class JobLeases {
  private readonly generation: Generation;
  private checkpoint: Checkpoint | undefined;
  private beat = 0;
  private named = 0;

  /** @param holder who renews, unique among all processes: [a-z0-9_]+, at most 40 */
  constructor(
    private readonly documents: ReadStore,
    holder: string,
  ) {
    this.generation = { projection: LEASES, name: holder };
  }

  /** Says that these jobs still run here; costs nothing while there is none. @throws what the store throws */
  async renew(jobs: readonly string[]): Promise<void> {
    if (jobs.length === 0 && this.named === 0) return;
    if (!(await this.isKnown())) this.checkpoint = undefined;
    await this.write(jobs);
    this.named = jobs.length;
  }

  /** After the last job: nothing of this process is left. */
  async end(): Promise<void> {
    if (this.checkpoint) await this.documents.drop(this.generation);
  }

  /** Whoever was silent for so long that it was forgotten begins anew. */
  private async isKnown(): Promise<boolean> {
    return this.checkpoint !== undefined && (await this.documents.checkpoint(this.generation)) !== null;
  }

  private async write(jobs: readonly string[]): Promise<void> {
    if (!this.checkpoint) {
      await this.documents.prepare(this.generation, []);
      this.checkpoint = await this.documents.claim(this.generation);
    }
    const from = this.checkpoint;
    const runnerState = { beat: ++this.beat, jobs: [...jobs] };
    const batch = { changes: [], from, to: from.position, runnerState };
    await this.documents.apply(this.generation, batch);
  }
}

interface Seen {
  readonly mark: string;
  /** Ms by this process's own clock. */
  readonly since: number;
}

/** Of whom no lease has to run out. */
const GIVEN_BACK = -Infinity;

/**
 * Jobs without a seal whose lease ran out, by the clock of who looks: no two machines' clocks are compared. One that was
 * named, and is by nobody any more, was given back by a process that ended in order.
 */
export class LeftJobs {
  private jobs = new Map<string, Seen>();
  private holders = new Map<string, Seen>();

  /**
   * @param now ms, of a clock that nobody sets
   * @param takesWhatIsGivenBack whether that is left at once; for one who looks alone, or two would take it together
   */
  constructor(
    private readonly documents: ReadStore,
    private readonly leaseMs: number,
    private readonly now: () => number = () => performance.now(),
    private readonly takesWhatIsGivenBack = false,
  ) {}

  /**
   * Of these, those that nobody has begun or renewed for as long as a lease, or that were given back.
   * @throws what the store throws
   */
  async among(unsealed: readonly string[]): Promise<readonly string[]> {
    // Before the look: while a store does not answer nobody can renew, and that is no silence.
    const now = this.now();
    const marks = await this.marks();
    const seen = new Map<string, Seen>();
    for (const job of unsealed) seen.set(job, this.seenNow(this.jobs.get(job), marks.get(job) ?? '', now));
    this.jobs = seen;
    return unsealed.filter((job) => now - seen.get(job)!.since >= this.leaseMs);
  }

  private seenNow(before: Seen | undefined, mark: string, now: number): Seen {
    const isGivenBack = this.takesWhatIsGivenBack && before !== undefined && before.mark !== '' && mark === '';
    return isGivenBack ? { mark, since: GIVEN_BACK } : same(before, mark, now);
  }

  /** By job, what changes with each renewal. */
  private async marks(): Promise<ReadonlyMap<string, string>> {
    const marks = new Map<string, string>();
    const holders = new Map<string, Seen>();
    for (const generation of await this.documents.generations(LEASES)) {
      const { beat, jobs } = (await this.documents.runnerState(generation)) ?? {};
      const mark = `${generation.name} ${beat as number}`;
      const seen = same(this.holders.get(generation.name), mark, this.now());
      holders.set(generation.name, seen);
      if (this.now() - seen.since >= FORGOTTEN_AFTER * this.leaseMs) await this.documents.drop(generation);
      // Who has died may still name a job that another has taken over: it runs while either of them renews it.
      for (const job of Array.isArray(jobs) ? (jobs as string[]) : [])
        marks.set(job, `${marks.get(job) ?? ''} ${mark}`);
    }
    this.holders = holders;
    return marks;
  }
}

function same(before: Seen | undefined, mark: string, now: number): Seen {
  return before?.mark === mark ? before : { mark, since: now };
}
