import { type CommandContext, personOf, provenanceOf } from '#lib/access';
import {
  CALLER_SEED_FORM,
  eventId,
  isCallerSeed,
  type KeyRing,
  MaceError,
  type DomainEvent,
  type Provenance,
} from '#lib/kernel';

import type { Consents } from './consents.js';
import { privacyEvent } from './domain/consent.events.js';
import { decisiveFindings } from './domain/decisive.js';
import { DETECTOR_VERSION, type Detect } from './domain/detector.js';
import type { Finding } from './domain/pii-types.js';
import { piiHash, redact } from './domain/redact.js';

export const MAX_HANDLED_TEXT = 16_000;

export interface TextToHandle {
  /** At most 16,000 UTF-16 units. */
  readonly text: string;
  /** Whether the text is to be stored for good. */
  readonly persist?: boolean | undefined;
  /** Of the job in which it would be. */
  readonly job_seed?: string | undefined;
}

export interface HandledText {
  readonly status: 'allowed' | 'redacted' | 'consent_required';
  readonly redacted_text: string;
  readonly findings: readonly {
    readonly type: string;
    readonly category: string;
    /** `[start, end)` in UTF-16 units of the text as sent. */
    readonly span: readonly [number, number];
  }[];
  /** The first event that the answer left in `access-{principal}`. */
  readonly event_id: string;
}

/** Where a principal's direct commands leave their trace. */
export interface CommandTrail {
  append(events: readonly DomainEvent[], provenance: Provenance): Promise<void>;
}

/** Whether a job runs under a seed, and not for this person. */
export type IsOthersJob = (person: string, jobSeed: string) => Promise<boolean>;

/** Finds and redacts what is personal in a text, and says whether it might be stored (spec/privacy.md, "What happens"). */
export class TextHandling {
  constructor(
    private readonly detect: Detect,
    private readonly consents: Consents,
    private readonly trail: CommandTrail,
    private readonly ring: KeyRing,
    private readonly isOthersJob: IsOthersJob,
  ) {}

  /** @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED for a job_seed that is personal */
  async handle(ctx: CommandContext, request: TextToHandle): Promise<HandledText> {
    this.refuseUnsound(request);
    const { text, persist = false, job_seed } = request;
    const found = this.detect(text);
    const findings = found.map(({ type, category, start, end }) => ({ type, category, span: [start, end] as const }));
    const { consents, uncovered } = await this.judge(ctx, found, job_seed ?? ctx.seed);
    if (!uncovered) {
      const checked = privacyEvent('PII_CHECKED', {
        status: 'allowed',
        detector_version: String(DETECTOR_VERSION),
        consent_ids: consents,
      });
      return { status: 'allowed', redacted_text: text, findings, event_id: await this.record(ctx, [checked]) };
    }
    const blocking = found.filter(({ category }) => category !== 'low');
    const hashSeed = await this.hashSeedOf(ctx, job_seed);
    const flags = blocking.map((finding) => this.flagOf(text, finding, hashSeed));
    return {
      status: persist ? 'consent_required' : 'redacted',
      redacted_text: redact(text, blocking),
      findings,
      event_id: await this.record(ctx, flags),
    };
  }

  private async judge(ctx: CommandContext, found: readonly Finding[], seed: string) {
    const consents = new Set<string>();
    for (const readings of decisiveFindings(found.map((finding) => ({ ...finding, at: '' })))) {
      const id = await this.covering(ctx, readings, seed);
      if (id === null) return { consents: [], uncovered: true };
      consents.add(id);
    }
    return { consents: [...consents].sort(), uncovered: false };
  }

  private async covering(ctx: CommandContext, readings: readonly Finding[], seed: string): Promise<string | null> {
    for (const { type } of readings) {
      const id = await this.consents.covering(personOf(ctx.principal), { piiType: type, seed, now: ctx.now });
      if (id !== null) return id;
    }
    return null;
  }

  /** A hash under the seed of another's job would confirm a guess of what was blocked there: that seed is not taken. */
  private async hashSeedOf(ctx: CommandContext, named: string | undefined): Promise<string> {
    return named === undefined || (await this.isOthersJob(personOf(ctx.principal), named)) ? ctx.seed : named;
  }

  private flagOf(text: string, { type, category, start, end }: Finding, seed: string): DomainEvent {
    return {
      type: 'PII_FLAGGED',
      data: {
        pii_type: type,
        category,
        pii_hash: piiHash(this.ring.active('pii-hmac').secret, text.slice(start, end), seed),
        redaction_reason: 'PII_DETECTED',
        detector_version: String(DETECTOR_VERSION),
      },
    };
  }

  /** @returns the id of the first */
  private async record(ctx: CommandContext, events: readonly DomainEvent[]): Promise<string> {
    await this.trail.append(events, provenanceOf(ctx));
    return eventId(ctx.seed, 0, events[0]!.type);
  }

  private refuseUnsound({ text, job_seed }: TextToHandle): void {
    if (text.length > MAX_HANDLED_TEXT) {
      throw new MaceError('INVALID_INPUT', `text: ${text.length} characters; allowed: ${MAX_HANDLED_TEXT}`);
    }
    if (job_seed === undefined) return;
    if (!isCallerSeed(job_seed)) throw new MaceError('INVALID_INPUT', `job_seed: ${CALLER_SEED_FORM}`);
    if (this.detect(job_seed).some(({ category }) => category !== 'low')) {
      throw new MaceError('PRIVACY_BLOCKED', 'job_seed holds personal data; choose an opaque one');
    }
  }
}
