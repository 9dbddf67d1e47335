import type { PiiFinding } from './domain/jobs.events.js';

/** Finds what blocks in a text, and makes the text that may be recorded in its place. */
export interface QueryScreen {
  readonly version: string;
  find(text: string, jobSeed: string): readonly PiiFinding[];
  redact(text: string): string;
}

export interface Screened {
  readonly blocked: boolean;
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
