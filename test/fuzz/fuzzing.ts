import { inspect } from 'node:util';

import fc from 'fast-check';

import { type Drawn, type Wire, wireOf } from './drawn-requests.js';
import type { Callers } from './callers.js';
import type { Oracle } from './oracle.js';
import type { RawAnswer, RawClient, Unanswered } from './raw-client.js';
import type { Things } from './things.js';

/** Draws requests until there were enough, holds each answer against the oracle, and shrinks what fails. */

export interface Subject {
  readonly client: RawClient;
  readonly oracle: Oracle;
  readonly callers: Callers;
  readonly things: Things;
}

export interface Plan {
  readonly seed: number;
  /** At least so many are sent. */
  readonly requests: number;
}

export interface Outcome {
  readonly sent: number;
  /** How often an operation answered with a status, or a code, by operation id. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** One text for each kind of fault, with the smallest request that shows it. */
  readonly faults: readonly string[];
}

/** At most so many are under way at a time. */
const AT_ONCE = 6;
/** A run that finds more has something to mend first. */
const ENOUGH_FAULTS = 60;
const NEXT_SEED = 1_000_003;

export async function fuzz(requests: fc.Arbitrary<Drawn>, subject: Subject, plan: Plan): Promise<Outcome> {
  const run = new Run(subject, plan.requests);
  // Of one length as likely as of another: a property otherwise begins with the shortest.
  const bursts = fc.noBias(fc.array(requests, { minLength: 1, maxLength: AT_ONCE, size: 'max' }));
  for (let round = 0; run.goesOn(); round++) {
    const property = fc.asyncProperty(bursts, (drawn) => run.burst(drawn));
    const details = await fc.check(property, {
      seed: (plan.seed + round * NEXT_SEED) | 0,
      numRuns: plan.requests,
    });
    if (details.failed) run.settle(details.errorInstance);
  }
  return run.outcome();
}

class Run {
  private sent = 0;
  private readonly answers = new Map<string, Map<string, number>>();
  private readonly reported = new Map<string, string>();
  /** The kind that is being shrunk, with what showed it last. */
  private shrinking: { readonly kind: string; readonly text: string } | undefined;

  constructor(
    private readonly subject: Subject,
    private readonly wanted: number,
  ) {}

  goesOn(): boolean {
    return this.sent < this.wanted && this.reported.size < ENOUGH_FAULTS;
  }

  /** Sends some requests at once. @throws Error for a fault that is not reported yet */
  async burst(drawn: readonly Drawn[]): Promise<void> {
    if (!this.goesOn() && !this.shrinking) return;
    const found = (await Promise.all(drawn.map((one) => this.one(one)))).flat();
    for (const { kind, text } of found) {
      if (this.reported.has(kind) || (this.shrinking && this.shrinking.kind !== kind)) continue;
      this.shrinking = { kind, text };
      throw new Error(kind);
    }
  }

  /** @param thrown what ended the property: where it is no fault of an answer, it is one of the fuzzer */
  settle(thrown: unknown): void {
    const { kind, text } = this.shrinking ?? { kind: String(thrown), text: inspect(thrown) };
    this.reported.set(kind, text);
    this.shrinking = undefined;
  }

  outcome(): Outcome {
    return { sent: this.sent, answers: this.answers, faults: [...this.reported.values()] };
  }

  private async one(drawn: Drawn): Promise<readonly { readonly kind: string; readonly text: string }[]> {
    const { client, oracle, callers, things } = this.subject;
    const user = callers.userOf(drawn.caller);
    const wire = wireOf(drawn, await callers.tokenOf(drawn.caller), things.lookUp(user));
    const answer = await client.send(wire);
    const { operationId } = drawn.operation;
    if (!this.shrinking) this.count(operationId, kindOf(answer));
    learn(things, answer, user);
    return oracle.faultsOf(wire, answer).map((what) => ({
      kind: `${operationId}: ${what.replace(/[0-9a-f]{16,}|\d+/g, '#')}`,
      text: told(operationId, what, drawn, wire, answer),
    }));
  }

  private count(operationId: string, kind: string): void {
    this.sent++;
    const counts = this.answers.get(operationId) ?? new Map<string, number>();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    this.answers.set(operationId, counts);
  }
}

function kindOf(answer: RawAnswer | Unanswered): string {
  if (typeof answer === 'string') return answer;
  const code = answer.status < 400 ? undefined : /"error_code":"(\w+)"/.exec(answer.body.toString('latin1'))?.[1];
  return code ?? String(answer.status);
}

function learn(things: Things, answer: RawAnswer | Unanswered, user: string): void {
  // The answer to HEAD has no body.
  if (typeof answer === 'string' || answer.status >= 300 || answer.body.length === 0) return;
  if (!answer.headers['content-type']?.startsWith('application/json') || answer.body.length > 100_000) return;
  things.learn(JSON.parse(answer.body.toString('utf8')), user);
}

const SHOWN = 600;

function told(
  operationId: string,
  what: string,
  { caller, twist }: Drawn,
  { method, target, headers, body }: Wire,
  answer: RawAnswer | Unanswered,
): string {
  const shown = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length})` : text);
  const others = headers.filter(([name]) => !['Host', 'Authorization', 'Content-Length'].includes(name));
  return [
    `${operationId}: ${what}`,
    `  as ${caller}: ${method} ${shown(target)}`,
    ...others.map(([name, value]) => `  ${name}: ${shown(value)}`),
    ...(body ? [`  ${shown(body.toString('utf8'))}`] : []),
    `  (${JSON.stringify(twist).slice(0, 200)})`,
    typeof answer === 'string' ? `  -> ${answer}` : `  -> ${answer.status} ${shown(answer.body.toString('utf8'))}`,
  ].join('\n');
}
