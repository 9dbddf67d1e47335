import { Agent as HttpAgent } from 'node:http';
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

import { MathEngine } from '#lib/agents';
import { Critics } from '#lib/council';
import { EventLog } from '#lib/event-store';
import { JobDesk, World } from '#lib/jobs';
import { ProductionReplay, Reexecution, Replays } from '#lib/replay';

import { JobApp } from '../../../../test/support/job-app.js';
import { InstalledAgents } from '../jobs/agents.js';
import { LiveParts } from '../jobs/live-parts.js';

/** Whatever could ask the world, an agent or an engine for something. */
const LIVE = [World, LiveParts, InstalledAgents, MathEngine, Critics, JobDesk, Reexecution, HttpAgent, Socket] as const;

let app: JobApp;

beforeAll(async () => {
  app = await JobApp.open();
});
afterAll(() => app.dispose());

describe('what a production replay is made of', () => {
  it('leads to the log, and to nothing that could answer in the place of the record', () => {
    const { production } = app.parts.app.nest.get(Replays);
    expect(production).toBeInstanceOf(ProductionReplay);
    const reached = reachableFrom(production);
    expect([...reached].some((one) => one instanceof EventLog)).toBe(true);
    expect([...reached].filter((one) => LIVE.some((kind) => one instanceof kind)).map(nameOf)).toEqual([]);
    expect([...reached].filter((one) => typeof one === 'object' && 'answer' in one && 'agent_id' in one)).toEqual([]);
  });

  it('is told apart from what could: the desk of live jobs leads to the world', () => {
    const reached = reachableFrom(app.parts.app.nest.get(JobDesk));
    expect([...reached].some((one) => one instanceof World)).toBe(true);
    expect([...reached].some((one) => one instanceof MathEngine || one instanceof InstalledAgents)).toBe(true);
  });
});

/** Every object that can be come to from one by its fields, lists and maps; a thread that writes a file ends the way. */
function reachableFrom(start: object): ReadonlySet<object> {
  const reached = new Set<object>();
  const todo: unknown[] = [start];
  while (todo.length > 0) {
    const one = todo.pop();
    if (one === null || (typeof one !== 'object' && typeof one !== 'function') || reached.has(one)) continue;
    reached.add(one);
    if (one instanceof Worker || ArrayBuffer.isView(one)) continue;
    if (one instanceof Map) todo.push(...one.keys(), ...one.values());
    if (one instanceof Set) todo.push(...one);
    for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(one))) todo.push(descriptor.value);
  }
  return reached;
}

function nameOf(one: object): string {
  return one.constructor.name;
}
