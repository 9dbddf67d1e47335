import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';

import type { Inside } from './inside.js';
import type { SandboxData } from './messages.js';

/**
 * The thread that agents run in again. They run in a realm of their own, whose modules are linked from a closed list of
 * files, which can make no code of texts, and which is handed two functions that take and give texts. The realm of the
 * thread itself is emptied before the first agent runs: even an object of it that found its way in leads to no process,
 * no network, no file, no environment and no further code.
 */

/** Most that one sandbox may say: a flood would fill the memory of whoever keeps it. */
const MAX_MESSAGES = 10_000;
const MAX_TEXT = 8_000_000;

const LIBS = new URL('../../../', import.meta.url);
const file = (path: string): string => new URL(path, LIBS).href;

/** What the agents know of the libraries beside theirs. */
const LISTED: Readonly<Record<string, string>> = {
  '#lib/agents': [
    `export { KnowledgeAgent } from '${file('agents/src/knowledge-agent.js')}';`,
    `export { createLanguageAgents } from '${file('agents/src/language-agent.js')}';`,
    `export { MathAgent } from '${file('agents/src/math-agent.js')}';`,
    `export { OperationalAgent } from '${file('agents/src/operational-agent.js')}';`,
    `export { ProfileAgent } from '${file('agents/src/profile-agent.js')}';`,
    `export { VerificationAgent } from '${file('agents/src/verification-agent.js')}';`,
    `export { EffectRefusedError } from '${file('agents/src/effects.js')}';`,
    `export { verifyMathAnswer } from '${file('agents/src/domain/math/index.js')}';`,
  ].join('\n'),
  '#lib/memory': [
    `export * from '${file('memory/src/domain/aliases.js')}';`,
    `export * from '${file('memory/src/domain/canonical-key.js')}';`,
    `export * from '${file('memory/src/domain/normalize.js')}';`,
    `export * from '${file('memory/src/domain/normalize-phrase.js')}';`,
  ].join('\n'),
  '#lib/kernel': [
    `export * from '${file('kernel/src/canonical-json.js')}';`,
    `export * from '${file('kernel/src/errors.js')}';`,
    `export const sha1Hex = (text) => digest('sha1', String(text));`,
    `export const sha256Hex = (text) => digest('sha256', String(text));`,
  ].join('\n'),
};
/** Folders that modules are read from. */
const OPEN = ['agents/src/', 'memory/src/domain/', 'kernel/src/', 'replay/src/sandbox/'].map(file);

/** A script that leaves no way to memory outside of the heap, the only memory of a thread that has a limit. */
const WITHIN_THE_HEAP = `{
  const others = ['ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Atomics', 'WebAssembly', 'Intl'];
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const isOther = (name) => others.includes(name) || Object.getPrototypeOf(Object(globalThis[name])) === TypedArray;
  for (const name of Object.getOwnPropertyNames(globalThis).filter(isOther)) delete globalThis[name];
}`;

const realm = vm.createContext(Object.create(null) as object, { codeGeneration: { strings: false, wasm: false } });
const modules = new Map<string, vm.SourceTextModule>();

/** A thrown text, not an error: an error would be an object of this realm. */
function noImport(): never {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- see above
  throw 'there is nothing to import in the sandbox';
}

function compile(identifier: string, source: string): vm.SourceTextModule {
  return new vm.SourceTextModule(source, { context: realm, identifier, importModuleDynamically: noImport });
}

/** @throws Error for whatever is not on the list */
function resolve(specifier: string, from: { readonly identifier: string }): vm.SourceTextModule {
  const listed = LISTED[specifier];
  const isPlace = listed === undefined && !specifier.startsWith('file:');
  const href = isPlace ? new URL(specifier, from.identifier).href : specifier;
  const known = modules.get(href);
  if (known) return known;
  if (listed === undefined && !OPEN.some((folder) => href.startsWith(folder))) {
    throw new Error(`the sandbox holds no ${specifier}`);
  }
  const source = listed ?? readFileSync(new URL(href), 'utf8');
  const made = compile(href, source);
  modules.set(href, made);
  return made;
}

function digest(algorithm: unknown, text: unknown): string {
  const known = algorithm === 'sha1' || algorithm === 'sha256';
  return known && typeof text === 'string' ? createHash(algorithm).update(text).digest('hex') : '';
}

/** Leaves what the language itself is made of, and no way from a function to a maker of functions. */
function emptyThisRealm(): void {
  const names = `${WITHIN_THE_HEAP} Object.getOwnPropertyNames(globalThis)`;
  const language = new Set(vm.runInNewContext(names) as readonly string[]);
  for (const name of ['eval', 'Function', 'console']) language.delete(name);
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!language.has(name)) Reflect.deleteProperty(globalThis, name);
  }
  const kinds = [() => undefined, async () => undefined, function* () {}, async function* () {}];
  for (const kind of kinds) {
    const prototype = Object.getPrototypeOf(kind) as object;
    Object.defineProperty(prototype, 'constructor', { value: undefined, writable: false, configurable: false });
  }
}

/** The way out, counted. */
function outlet(port: MessagePort): (text: unknown) => void {
  let messages = 0;
  let length = 0;
  return bare((text: unknown) => {
    if (typeof text !== 'string') return;
    messages++;
    length += text.length;
    if (messages <= MAX_MESSAGES && length <= MAX_TEXT) port.postMessage(text);
  });
}

/** A function that leads nowhere but to what it does: not to this realm's prototypes either. */
function bare<F extends object>(handed: F): F {
  return Object.setPrototypeOf(handed, null) as F;
}

async function main(port: MessagePort, { aliases, foreign }: SandboxData): Promise<void> {
  vm.runInContext(WITHIN_THE_HEAP, realm);
  Object.assign(realm, { digest: bare(digest) });
  const entry = resolve('./inside.js', { identifier: import.meta.url });
  await entry.link(resolve);
  await entry.evaluate();
  const { Inside: Made } = entry.namespace as unknown as { Inside: typeof Inside };
  const listed = JSON.stringify(aliases);
  const parse = vm.runInContext('(text) => JSON.parse(text)', realm) as (text: string) => SandboxData['aliases'];
  const inside = new Made(outlet(port), parse(listed));
  const strange = foreign.map(({ agent_id, source }) => ({ agent_id, module: compile(`agent:${agent_id}`, source) }));
  emptyThisRealm();
  for (const { agent_id, module } of strange) {
    await module.link(noImport);
    await module.evaluate();
    inside.install(agent_id, (module.namespace as { agent: Parameters<Inside['install']>[1] }).agent);
  }
  port.on('message', (text: string) => inside.deliver(text));
  port.postMessage('{"kind":"ready"}');
}

await main(parentPort!, workerData as SandboxData);
