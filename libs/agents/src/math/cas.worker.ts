import { Console } from 'node:console';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { parentPort } from 'node:worker_threads';

/** One request is a formula that our own parser has rebuilt; one answer is the engine's text, or null. */
export interface CasRequest {
  readonly id: number;
  readonly input: string;
}
export interface CasResponse {
  readonly id: number;
  readonly output: string | null;
}

type Engine = (input: string) => { text(form: 'fractions'): string };

const LONGEST_OUTPUT = 4_000;
let engine: Engine | undefined;

/** The engine reports to the console what it cannot do; nobody reads it, so it must not pile up either. */
globalThis.console = new Console(new Writable({ write: (_chunk, _encoding, done) => done() }));

/** Loading takes some 40 ms, so it waits for the first request; 4 MB of script stay out of the main thread. */
function loaded(): Engine {
  engine ??= createRequire(import.meta.url)('nerdamer-prime/all') as Engine;
  return engine;
}

function calculate(input: string): string | null {
  try {
    const output = loaded()(input).text('fractions');
    return output.length <= LONGEST_OUTPUT ? output : null;
  } catch {
    // The engine throws on whatever it cannot do, with messages for programmers; "no result" is all that matters here.
    return null;
  }
}

parentPort?.on('message', (request: CasRequest) => {
  parentPort?.postMessage({ id: request.id, output: calculate(request.input) } satisfies CasResponse);
});
