import type { PiiFinding } from './domain/jobs.events.js';

/** Finds what blocks in a text, and makes the text that may be recorded in its place. */
export interface QueryScreen {
  readonly version: string;
  find(text: string, jobSeed: string): readonly PiiFinding[];
  redact(text: string): string;
  /**
   * The consents of a person that cover everything that blocks in these texts, for this job; null where one is missing.
   */
  consentsFor(texts: readonly string[], asked: AskedFor): Promise<readonly string[] | null>;
  /** Whether all of these consents of a person stand. */
  areInForce(userId: string, consentIds: readonly string[], now: number): Promise<boolean>;
}

/** Whose question it is, in which job. */
export interface AskedFor {
  readonly user_id: string;
  readonly job_seed: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

export interface Screened {
  readonly blocked: boolean;
  readonly consent_ids?: readonly string[];
  readonly findings: readonly PiiFinding[];
  readonly query_text: string;
  readonly context_tags: Readonly<Record<string, string>>;
}

/** Query and tags with what blocks; where anything does, only redacted text is given back. */
export function screenQuery(
  screen: QueryScreen,
  query_text: string,
  context_tags: Readonly<Record<string, string>>,
  jobSeed: string,
): Screened {
  const texts = [query_text, ...Object.entries(context_tags).flat()];
  const findings = texts.flatMap((text) => screen.find(text, jobSeed));
  if (findings.length === 0) return { blocked: false, findings, query_text, context_tags };
  const redact = (text: string): string => screen.redact(text);
  const tags = Object.entries(context_tags).map(([name, tag]) => [redact(name), redact(tag)] as const);
  return { blocked: true, findings, query_text: redact(query_text), context_tags: Object.fromEntries(tags) };
}

/** As screenQuery, and nothing blocks that the asking person has consented to for this job (spec/privacy.md). */
export async function screenAsked(
  screen: QueryScreen,
  query_text: string,
  context_tags: Readonly<Record<string, string>>,
  asked: AskedFor,
): Promise<Screened> {
  const screened = screenQuery(screen, query_text, context_tags, asked.job_seed);
  if (!screened.blocked) return screened;
  const consent_ids = await screen.consentsFor([query_text, ...Object.entries(context_tags).flat()], asked);
  return consent_ids === null
    ? screened
    : { blocked: false, consent_ids, findings: screened.findings, query_text, context_tags };
}
