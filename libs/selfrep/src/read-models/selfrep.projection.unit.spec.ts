import { MemoryReadStore } from '#lib/read-store';
import { givenEvents } from '#lib/projections';

import { SELFREP_DEFAULTS as C } from '../domain/constants.js';
import { decideChange, decideFlag, decideRestore, decideViolation } from '../domain/decide.js';
import type { PlacedEvent } from '../domain/module.js';
import { approve, ModuleStory, success, timeout } from '../testing/placed.js';
import { EDGES, moduleOf, MODULES, selfrepProjection } from './selfrep.projection.js';

const inItsStream = (event: PlacedEvent) => ({ ...event, stream: 'module-agent:math_v1' });

describe('the read model of modules', () => {
  it('holds exactly what the streams fold to', async () => {
    const story = ModuleStory.of({ dependencies: [{ to: 'service:db', required: true }] }).outcomes(
      success(),
      approve(),
    );
    story.take(decideFlag(story.known, ['service:db']));
    story.take(decideChange(story.known, { policy: { allowed_actions: ['compute'], forbidden_actions: [] } }, 'ar-1'));
    story.take(decideViolation(story.known, { action: 'sem.write' }));
    story.take(decideRestore(story.known, 'fixed', C)).outcomes(approve(), timeout());

    const given = givenEvents(selfrepProjection, ...story.events.map(inItsStream));
    const [document] = await given.documents(MODULES.name);
    const { position: _, since: __, ...expected } = story.known;
    expect(document!.id).toBe('agent:math_v1');
    expect(moduleOf(document!.body)).toMatchObject(expected);
    expect(document!.body).toMatchObject({ status: 'degraded', type: 'agent' });
    expect(Object.keys(moduleOf(document!.body)).sort()).toEqual(Object.keys(story.known).sort());
    expect(await given.documents(EDGES.name)).toEqual([
      { id: 'agent:math_v1->service:db', body: { from: 'agent:math_v1', to: 'service:db', required: true } },
    ]);
  });

  it('takes nothing from what a job recorded of a module', async () => {
    const story = ModuleStory.of().outcomes(success());
    const given = givenEvents(selfrepProjection, ...story.events.map(inItsStream));
    const violation = { type: 'POLICY_VIOLATION', data: { node_id: 'agent:math_v1' }, stream: 'job-job:1' };
    expect(await given.when(violation).documents(MODULES.name)).toEqual(await given.documents(MODULES.name));
  });

  it('declares collections that a store takes', async () => {
    const store = new MemoryReadStore();
    await store.prepare({ projection: 'selfrep', name: 'v1' }, selfrepProjection.collections);
  });
});
