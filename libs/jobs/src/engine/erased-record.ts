import { brainstateEvents, type BrainState } from '#lib/brainstate';
import type { EventDefinition, Json, JsonObject } from '#lib/kernel';
import { depthOf, type QueryClassification } from '#lib/routing';

import { jobEvents, type JobAccepted } from '../domain/jobs.events.js';
import { isErased } from '../domain/readable.js';
import type { NumberedEvent } from './recorder.js';

/**
 * How the engine runs over the record of somebody who was erased (spec/privacy.md): where words are gone something stands
 * in for them, what followed from words alone is taken as recorded, and everything else is computed and compared.
 */
export interface ErasedRecord {
  /** The record with blanks in place of what was erased: what effects are answered from. */
  readonly answers: readonly NumberedEvent[];
  readonly accepted: JobAccepted;
  readonly taken: TakenFromRecord;
  /** What was computed, with the record's word for what was erased. */
  readonly seen: (computed: NumberedEvent, index: number) => NumberedEvent;
}

/** What only words could be computed into. */
export interface TakenFromRecord {
  readonly classification?: QueryClassification;
  readonly memory?: Partial<Pick<BrainState, 'wm_counter' | 'CWM'>>;
}

/** Most UTF-16 units that stand in for a text. */
const MAX_BLANK = 16_000;

/** @param recorded of one job from its first on, erased fields as `{"$erased": true}` */
export function erasedRecord(recorded: readonly NumberedEvent[]): ErasedRecord {
  const answers = recorded.map((event, i) => ({ ...event, data: blanked(event, recorded, i) }));
  return {
    answers,
    accepted: answers[0]!.data as unknown as JobAccepted,
    taken: { ...classificationIn(recorded), ...memoryIn(recorded) },
    seen: (computed, index) => seenAs(computed, recorded[index]),
  };
}

const BLANKS: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  JOB_ACCEPTED: { query_text: '', query_text_hash: '', context_tags: {} },
  AGENT_OUTPUT: { reasoning_trace: [], evidence: [], detail: '' },
  AGENT_EXCEPTION: { reason: '' },
  COUNCIL_VOTE: { suggested_changes: '', note: '' },
  episodic_summary: { redactions: [] },
};

function blanked({ type, data }: NumberedEvent, recorded: readonly NumberedEvent[], index: number): JsonObject {
  const blanks = Object.hasOwn(BLANKS, type) ? Object.entries(BLANKS[type]!) : [];
  const filled: Record<string, Json> = Object.fromEntries(blanks.filter(([field]) => isErased(data[field])));
  if (type === 'AGENT_OUTPUT') {
    if (isErased(data['text'])) filled['text'] = textOf(data['tokens']);
    if (isErased(data['memory_write'])) filled['memory_write'] = wishAfter(recorded, index);
  }
  return { ...data, ...filled };
}

/** A text of as many tokens as were counted; of none where no text that an agent may give has so many. */
function textOf(tokens: Json | undefined): string {
  const length = Number(tokens) * 4;
  return Number.isInteger(length) && length > 0 && length <= MAX_BLANK ? ' '.repeat(length) : '';
}

/** The write that an answer asked for, by what was done about it: two of them never wished for the same. */
function wishAfter(recorded: readonly NumberedEvent[], index: number): JsonObject | null {
  const next = recorded.slice(index + 1).find(({ type }) => type !== 'AUTH_ERROR');
  if (next?.type === 'MEMORY_WRITE_REQUESTED') return { key: next.data['key'] ?? '', value: `write of ${index}` };
  return next?.type === 'POLICY_VIOLATION' ? { key: '', value: null } : null;
}

/** Of the classification, what follows from the rest of it is not taken. */
function classificationIn(recorded: readonly NumberedEvent[]): Pick<TakenFromRecord, 'classification'> {
  const data = recorded.find(({ type }) => type === 'QCP_CLASSIFIED')?.data;
  if (!data) return {};
  const { words, sentences, is_question, has_number, speaks_of_self } = (data['features'] ?? {}) as JsonObject;
  const features = {
    words: countOf(words),
    sentences: countOf(sentences),
    is_question: is_question === true,
    has_number: has_number === true,
    has_user: true,
    speaks_of_self: speaks_of_self === true,
  };
  const intent_tags = data['intent_tags'] as QueryClassification['intent_tags'];
  const urgency = (['low', 'high'] as const).find((one) => one === data['urgency']) ?? 'normal';
  return { classification: { intent_tags, depth_level: depthOf(intent_tags, features), urgency, features } };
}

/** How much a job held in mind depends on what it was. */
function memoryIn(recorded: readonly NumberedEvent[]): Pick<TakenFromRecord, 'memory'> {
  const tick = recorded.find(({ type }) => type === 'BRAINSTATE_TICK')?.data;
  if (!tick || !isErased(tick['CWM'])) return {};
  const episode = recorded.find(({ type }) => type === 'episodic_summary')?.data;
  const item = { wm_id: '', type: '', value: '', ttl_ticks: 1, created_at_tick: 1, references: [] };
  const CWM = { topic: '', tokens_used: countOf(episode?.['tokens_used']), items: episode ? [item] : [] };
  return { memory: { wm_counter: Math.max(1, countOf(tick['wm_counter'])), CWM } };
}

function countOf(value: Json | undefined): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0;
}

const PERSONAL: ReadonlyMap<string, readonly string[]> = new Map(
  [...jobEvents, ...brainstateEvents].map(({ type, personal = [] }: EventDefinition) => [type, personal]),
);

/** Only what is personal can have been erased: any other field that says so was not written by a job. */
function seenAs(computed: NumberedEvent, there: NumberedEvent | undefined): NumberedEvent {
  const { type, data } = computed;
  if (there?.type !== type) return computed;
  const fields = (PERSONAL.get(type) ?? []).filter((field) => isErased(there.data[field]));
  // What was found in an erased episode was found in its words.
  const found = type === 'episodic_summary' && fields.length > 0 && there.data['redacted'] ? ['redacted'] : [];
  if (fields.length === 0) return computed;
  const taken = Object.fromEntries([...fields, ...found].map((field) => [field, there.data[field]!]));
  return { ...computed, data: { ...data, ...taken } };
}
