import fc from 'fast-check';

import { brainstateEvents } from '#lib/brainstate';
import type { JsonObject } from '#lib/kernel';

import { jobEvents } from '../domain/jobs.events.js';
import { scripts } from '../testing/arbitrary-scripts.js';
import { answer, COLOR, engineInput, type InputOptions, only, runScripted, votesOf } from '../testing/scripted-job.js';
import { erasedRecord } from './erased-record.js';
import type { EngineInput } from './input.js';
import type { NumberedEvent } from './recorder.js';
import { compareRecorded, type EngineComparison } from './replay-engine.js';

const ERASED = { $erased: true };
const PERSONAL = new Map([...jobEvents, ...brainstateEvents].map(({ type, personal = [] }) => [type, personal]));
const WISH = answer('It is blue.', { evidence: [], memory_write: { key: COLOR, value: 'blue' } });
const REJECTED = votesOf([false, false, true], 0.2);

/** As a record is read once its person's key is destroyed. */
function erase({ type, data, ...rest }: NumberedEvent): NumberedEvent {
  const gone = (PERSONAL.get(type) ?? []).filter((field) => field in data);
  return { ...rest, type, data: { ...data, ...Object.fromEntries(gone.map((field) => [field, ERASED])) } };
}

function compare(input: EngineInput, events: readonly NumberedEvent[]): EngineComparison {
  const erased = erasedRecord(events);
  const { accepted, taken } = erased;
  return compareRecorded({ ...input, accepted, taken }, events, { erased });
}

/** Type of the first event that differs. */
function differs(type: string, change: JsonObject): string | undefined {
  const input = engineInput();
  const events = runScripted(input).events.map(erase);
  only(events, type);
  const forged = events.map((event) =>
    event.type === type ? { ...event, data: { ...event.data, ...change } } : event,
  );
  const { difference } = compare(input, forged);
  return difference?.computed?.type ?? difference?.recorded?.type;
}

describe('the record of somebody who was erased', () => {
  it('is computed again to its end, whatever the world said, from what is left of it', () => {
    const kinds: InputOptions[] = [
      {},
      { query: 'Remember that my favorite color is blue' },
      { query: 'Write me a plan for moving house. First pack. Then go. Then rest.' },
      { query: 'What is the capital of Mars?', router: { ask_engine_on_miss: true } },
      { policies: { profile_agent: { allowed_actions: ['sem.read'], forbidden_actions: [] } } },
    ];
    fc.assert(
      fc.property(scripts, fc.constantFrom(...kinds), (script, options) => {
        const input = engineInput(options);
        const events = runScripted(input, script).events.map(erase);
        expect(compare(input, events)).toMatchObject({ matched: events.length, difference: null });
      }),
      { numRuns: 150 },
    );
  });

  it('holds what was consolidated of it as it is recorded, for it was words that fitted or did not', () => {
    const input = engineInput();
    const promoting = { ...input, brainstate: { ...input.brainstate, promotion_references: 1 } };
    const { events, types } = runScripted(promoting);
    expect(types).toContain('episodic_summary');
    expect(compare(promoting, events.map(erase))).toMatchObject({ matched: events.length, difference: null });
  });

  it.each<[string, JsonObject, string]>([
    ['SNAPSHOTS_PINNED', { system_version: 'mace-9.9.9' }, 'SNAPSHOTS_PINNED'],
    ['QCP_CLASSIFIED', { depth_level: 2 }, 'QCP_CLASSIFIED'],
    ['QCP_CLASSIFIED', { urgency: 'whatever' }, 'QCP_CLASSIFIED'],
    ['QCP_CLASSIFIED', { intent_tags: ['math'] }, 'QCP_CLASSIFIED'],
    ['QCP_CLASSIFIED', { features: {} }, 'QCP_CLASSIFIED'],
    ['ROUTER_DECISION', { depth: 2 }, 'ROUTER_DECISION'],
    ['ROUTER_DECISION', { depth: ERASED }, 'ROUTER_DECISION'],
    ['AGENT_OUTPUT', { tokens: 1e15 }, 'AGENT_OUTPUT'],
    ['AGENT_OUTPUT', { confidence: 0.5 }, 'COUNCIL_DECISION'],
    ['COUNCIL_DECISION', { outcome: 'rejected' }, 'COUNCIL_DECISION'],
    ['COUNCIL_DECISION', { final_confidence: 0.1 }, 'COUNCIL_DECISION'],
    ['BRAINSTATE_TICK', { brainstate_id: 'bs:other' }, 'BRAINSTATE_TICK'],
    ['BRAINSTATE_TICK', { tick: 7 }, 'BRAINSTATE_TICK'],
    ['BRAINSTATE_TICK', { wm_counter: -1 }, 'BRAINSTATE_TICK'],
    ['REFLECTIVE_LOG_WRITTEN', { status: 'failed' }, 'REFLECTIVE_LOG_WRITTEN'],
    ['REFLECTIVE_LOG_WRITTEN', { final_confidence: 0.01 }, 'REFLECTIVE_LOG_WRITTEN'],
    ['REFLECTIVE_LOG_WRITTEN', { event_refs: [] }, 'REFLECTIVE_LOG_WRITTEN'],
  ])('with %s changed to %j differs at %s', (type, change, at) => {
    expect(differs(type, change)).toBe(at);
  });

  it('differs where a vote was turned round, or a write put under another key', () => {
    const input = engineInput({ query: 'Remember that my favorite color is blue' });
    const script = { turns: [WISH, answer()], votes: [REJECTED, votesOf([true, true, true])] };
    const events = runScripted(input, script).events.map(erase);
    const forge = (type: string, change: JsonObject) => {
      const forged = events.map((event) =>
        event.type === type ? { ...event, data: { ...event.data, ...change } } : event,
      );
      return compare(input, forged).difference?.recorded?.type;
    };
    expect(forge('COUNCIL_VOTE', {})).toBeUndefined();
    expect(forge('COUNCIL_VOTE', { approve: false })).toBe('COUNCIL_DECISION');
    expect(forge('MEMORY_WRITE_REQUESTED', { key: 'user/profile/user_eve/favorite_color' })).toBe(
      'MEMORY_WRITE_REQUESTED',
    );
  });
});
