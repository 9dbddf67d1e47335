import type { AddressInfo } from 'node:net';

import type fc from 'fast-check';

import { isErased } from '#lib/event-store';

import { until } from '../support/eventually.js';
import { everyEvent } from '../support/every-stream.js';
import { JobApp } from '../support/job-app.js';
import { Callers, CALLING } from './callers.js';
import { clearHalts, releaseLogs } from './cleared-halts.js';
import { type Drawn, requestsOf } from './drawn-requests.js';
import { fuzz, type Outcome, type Plan } from './fuzzing.js';
import { KNOWN_THINGS, KNOWN_TOGETHER, MADE_BY_REQUESTS } from './known-things.js';
import { type Description, type Operation, operationsOf } from './operations.js';
import { Oracle } from './oracle.js';
import { RawClient } from './raw-client.js';
import type { Drawing } from './schema-values.js';
import { Things } from './things.js';

/** No measure: what takes longer does not come. */
const HANGS_AFTER_MS = 30_000;

/** An application on a real port in this process, with what asks it and judges its answers. */
export class FuzzedApp {
  private readonly things = new Things(KNOWN_THINGS, KNOWN_TOGETHER);
  readonly drawing: Drawing;

  private constructor(
    readonly app: JobApp,
    private readonly client: RawClient,
    private readonly description: Description,
    private readonly isLimited: boolean,
  ) {
    const things = new Set([...this.things.names(), ...MADE_BY_REQUESTS]);
    this.drawing = { schemas: description.components.schemas, things };
  }

  /** @param settings what the environment says beside the data folder */
  static async open(settings: Readonly<Record<string, string>> = {}): Promise<FuzzedApp> {
    const app = await JobApp.open({}, settings);
    const { fastify } = app.parts.app;
    await fastify.listen({ host: '127.0.0.1', port: 0 });
    const { payload } = await fastify.inject({ url: '/openapi.json' });
    const client = new RawClient((fastify.server.address() as AddressInfo).port, HANGS_AFTER_MS);
    return new FuzzedApp(app, client, JSON.parse(payload) as Description, 'MACE_RATE_LIMIT' in settings);
  }

  get operations(): readonly Operation[] {
    return operationsOf(this.description);
  }

  /** Requests of one operation. @param bodies what its body is, where that is not drawn from its schema */
  requestsOf(operation: Operation, bodies?: fc.Arbitrary<unknown>): fc.Arbitrary<Drawn> {
    return requestsOf(operation, CALLING, this.drawing, bodies);
  }

  /** What is there under the names that were drawn, as a person would name it. */
  lookUp(user: string): ReturnType<Things['lookUp']> {
    return this.things.lookUp(user);
  }

  fuzz(requests: fc.Arbitrary<Drawn>, plan: Plan, more?: Judge): Promise<Outcome> {
    const oracle = new Oracle(this.description, [process.cwd(), this.app.folder], more);
    const subject = { client: this.client, oracle, callers: new Callers(this.app), things: this.things };
    return fuzz(requests, subject, plan);
  }

  /** Waits for what goes on behind answers, has what was halted cleared, replays every job, and closes. */
  async dispose(): Promise<void> {
    this.client.close();
    // Who clears what was halted asks more often than some limit allows, from the address of those who were drawn.
    if (this.isLimited) await this.app.whileClosed(() => undefined, {});
    await until(async () => (await this.jobs()).unsealed.length === 0, 'the end of every job');
    await clearHalts(this.app);
    await releaseLogs(this.app, await this.texts());
    await this.app.dispose({ erased: (await this.jobs()).erased });
  }

  /** Jobs without a seal, and those of somebody whom a request has erased. */
  private async jobs(): Promise<{ readonly unsealed: readonly string[]; readonly erased: readonly string[] }> {
    const texts = (await this.texts()).map((text) => JSON.parse(text) as { stream: string; type: string });
    const of = (type: string) => texts.filter((one) => one.type === type).map(({ stream }) => stream);
    const [accepted, sealed] = [of('JOB_ACCEPTED'), new Set(of('JOB_SEALED'))];
    const erased: string[] = [];
    for (const stream of accepted) {
      const [first] = await this.app.stream(stream);
      if (Object.values(first?.data ?? {}).some(isErased)) erased.push(stream.replace(/^job-/, ''));
    }
    return { unsealed: accepted.filter((stream) => !sealed.has(stream)), erased };
  }

  private async texts(): Promise<readonly string[]> {
    return (await everyEvent(this.app)).map(({ text }) => text);
  }
}

/** What else is wrong with an answer. */
export type Judge = (body: string | undefined, answer: unknown) => readonly string[];

/**
 * @param wanted how many requests are to be named to see it again
 * @throws Error that tells each kind of fault, and how to see it again
 */
export function expectNoFaults(
  { sent, faults, answers }: Outcome,
  { seed, requests }: Plan,
  file: string,
  wanted = requests,
): void {
  if (process.env['MACE_FUZZ_REQUESTS'] !== undefined) process.stderr.write(tableOf(answers));
  if (faults.length === 0 && sent >= requests) return;
  const again = `MACE_TEST_SEED=${seed} MACE_FUZZ_REQUESTS=${wanted} npm test -- test/fuzz/${file}`;
  throw new Error(`${faults.length} kinds of faults in ${sent} requests; again: ${again}\n\n${faults.join('\n\n')}`);
}

function tableOf(answers: Outcome['answers']): string {
  const rows = [...answers].sort().map(([operationId, counts]) => {
    const cells = [...counts].sort().map(([kind, count]) => `${kind}: ${count}`);
    return `${operationId.padEnd(36)} ${cells.join(', ')}\n`;
  });
  return rows.join('');
}
