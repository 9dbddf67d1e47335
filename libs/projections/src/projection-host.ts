import { MaceError } from '#lib/kernel';
import { listProjection, type ProjectionListing } from './listing.js';
import { type Projection } from './projection.js';
import { ProjectionRunner, type RunnerOptions } from './projection-runner.js';

export interface HostOptions extends RunnerOptions {
  readonly projections: readonly Projection[];
}

const DEFAULT_TIMEOUT_MS = 5000;

/** Runs a set of projections, each for itself: one that halts leaves the others alone. */
export class ProjectionHost {
  private readonly runners: ReadonlyMap<string, ProjectionRunner>;

  constructor(private readonly options: HostOptions) {
    const runners = options.projections.map((projection) => new ProjectionRunner(projection, options));
    this.runners = new Map(runners.map((runner) => [runner.projection.name, runner]));
    if (this.runners.size !== runners.length) throw new Error('two projections have one name');
  }

  start(): void {
    for (const runner of this.runners.values()) runner.start();
  }

  /** Before the stores are closed. */
  async stop(): Promise<void> {
    await Promise.all([...this.runners.values()].map((runner) => runner.stop()));
  }

  list(): Promise<readonly ProjectionListing[]> {
    const { isElsewhere } = this.options;
    return Promise.all(
      [...this.runners.values()].map(({ projection, status }) =>
        listProjection(projection, this.options, isElsewhere ? undefined : status),
      ),
    );
  }

  /** @throws MaceError NOT_FOUND */
  runner(name: string): ProjectionRunner {
    const runner = this.runners.get(name);
    if (!runner)
      throw new MaceError(
        'NOT_FOUND',
        `no projection "${name.slice(0, 60)}"; there are ${[...this.runners.keys()].join(', ')}`,
      );
    return runner;
  }

  /**
   * Read-after-write: settles once the persisted checkpoints of the named projections, all by default, are at or beyond
   * `position`. A projection's own answer to the events up to there is then in its documents.
   * @throws MaceError WAIT_TIMEOUT with the state of the projection that was not there in time; NOT_FOUND
   */
  async waitFor(position: string, names?: readonly string[], timeoutMs = DEFAULT_TIMEOUT_MS): Promise<void> {
    const runners = names ? names.map((name) => this.runner(name)) : [...this.runners.values()];
    await Promise.all(runners.map((runner) => runner.waitFor(position, timeoutMs)));
  }

  /** Does what was decided meanwhile about a projection's generations. @throws MaceError NOT_FOUND */
  lookAgain(name: string): Promise<void> {
    return this.runner(name).lookAgain();
  }
}
