import type { JsonObject } from '#lib/kernel';
import {
  detectInPayload,
  DETECTOR_VERSION,
  type Drift,
  driftOf,
  followPrivacyPolicy,
  type PrivacyPolicy,
} from '#lib/privacy';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { table } from '../io.js';
import { everyPage } from './shown.js';

/** An event as the audit shows it, with what was said. */
interface Shown {
  readonly event_id: string;
  readonly type: string;
  readonly stream: string;
  readonly data: JsonObject;
}

interface PolicyInForce {
  /** Null in a log that no release with such a policy was started on. */
  readonly in_force: { readonly body: PrivacyPolicy } | null;
}

interface Row extends Drift {
  readonly event_id: string;
  readonly type: string;
  readonly stream: string;
}

/** What stands in the place of content that nobody may read any more. */
const WITHHELD = /^\[(?:erased|revoked|redacted)/;

/**
 * `mace privacy drift`: what is recorded of personal data in memory and in questions, beside what this release finds in the
 * same content by the policy in force. Nothing is changed, replays go on by what was recorded, and no content is shown: types and places only. That
 * somebody looked is on record. Ends with 2 where they differ.
 */
export async function drift(context: Context): Promise<ExitCode> {
  const { io, json } = context;
  let looked = 0;
  const rows: Row[] = [];
  const { in_force } = await context.answer<PolicyInForce>({
    method: 'GET',
    path: '/governance/events/privacy?limit=1',
  });
  // The server that answers is another process.
  if (in_force) followPrivacyPolicy(in_force.body);
  for await (const { event_id, type, stream, recorded, payload } of everyJudged(context)) {
    looked++;
    const differs = driftOf(recorded, detectInPayload(payload));
    if (differs) rows.push({ event_id, type, stream, ...differs });
  }
  if (json) {
    io.out(JSON.stringify({ detector_version: DETECTOR_VERSION, looked_at: looked, items: rows }, null, 2));
  } else {
    const lines = rows.map(({ event_id, type, found, gone }) => [
      event_id,
      type,
      found.join(' ') || '-',
      gone.join(' ') || '-',
    ]);
    if (lines.length > 0) for (const line of table([['EVENT', 'TYPE', 'FOUND NOW', 'NO MORE'], ...lines])) io.out(line);
    else
      io.out(`no drift: version ${DETECTOR_VERSION} of the rules finds in ${looked} events what is recorded of them`);
  }
  return rows.length === 0 ? EXIT.ok : EXIT.divergence;
}

/** Every event whose content was judged and is still there, a page at a time: there may be millions. */
async function* everyJudged(context: Context): AsyncGenerator<Shown & Judged> {
  for (const [type, judged] of JUDGED) {
    for await (const { items } of everyPage<Shown>(context, '/audit/events', { type, unredacted: 'true' })) {
      for (const event of items) {
        const content = event.type === type ? judged(event.data) : null;
        if (content !== null) yield { ...event, ...content };
      }
    }
  }
}

interface Judged {
  /** Types. */
  readonly recorded: readonly string[];
  readonly payload: unknown;
}

/** Of each type of event whose content was judged: what was recorded, and what was judged; null where it is not there any more. */
const JUDGED: readonly (readonly [type: string, judged: (data: JsonObject) => Judged | null])[] = [
  ['SEM_PUT', ofMemory],
  ['JOB_ACCEPTED', ofQuestion],
];

function ofMemory({ key, value, notes, meta, consents }: JsonObject): Judged | null {
  if (typeof key !== 'string' || isWithheld(value)) return null;
  const recorded = (consents ?? []) as readonly { readonly pii_type: string }[];
  const payload = [{ [key.slice(key.lastIndexOf('/') + 1)]: value }, notes ?? null, meta ?? null];
  return { recorded: recorded.map(({ pii_type }) => pii_type), payload };
}

/** Of a question that was blocked only what was found is left. */
function ofQuestion({ query_text, context_tags, pii_findings, blocked }: JsonObject): Judged | null {
  if (typeof query_text !== 'string' || blocked === true || isWithheld(query_text)) return null;
  const recorded = (pii_findings ?? []) as readonly { readonly pii_type: string }[];
  const tags = isWithheld(context_tags) ? {} : ((context_tags ?? {}) as Readonly<Record<string, string>>);
  // Each text was read by itself, and not beside the others.
  return {
    recorded: recorded.map(({ pii_type }) => pii_type),
    payload: [query_text, ...Object.entries(tags).flat()].map((text) => [text]),
  };
}

function isWithheld(value: unknown): boolean {
  return typeof value === 'string' && WITHHELD.test(value);
}
