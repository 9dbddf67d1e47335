import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { DEVELOPER_MESSAGES, ERROR_CATALOGUE, type ErrorCode, isErrorCode } from '#lib/kernel';

import { JobApp } from '../support/job-app.js';
import { LASTING, PRODUCED_INSIDE, PRODUCERS, type Stage, stageOn } from '../support/failure-producers.js';

interface Row {
  readonly error_code: ErrorCode;
  readonly status: number;
  readonly severity: string;
  /** Null where the specification leaves the sentence to us: then golden_messages.json holds it. */
  readonly user_message: string | null;
}

/** The rows of spec/failures.md, as they stand there. */
const TABLE = readJson<readonly Row[]>('failure_table.json');
const GOLDEN = readJson<Record<string, string>>('golden_messages.json');

/** Rows that no request can be answered with yet, and what has to come first. */
const NOT_YET: Partial<Record<ErrorCode, string>> = {
  CACHE_ERROR: 'is never shown; that it is logged is T30_CACHE_FALLBACK (test/golden/cache.spec.ts)',
};

/** Rows whose code is told in an answer of 200 without an envelope of its own. */
const CODE_ONLY: Partial<Record<ErrorCode, string>> = {
  RESULT_MISMATCH: 'is what a replay that ran found: its verdict is the answer, in every mode (spec/replay.md)',
  REPLAY_DIVERGENCE: 'is what a replay that ran found: its verdict is the answer, in every mode (spec/replay.md)',
};

describe('the table of failures', () => {
  it('is the catalogue: the same codes, each with its status and severity', () => {
    const ours = Object.entries(ERROR_CATALOGUE).map(([code, { status, severity }]) => [code, status, severity]);
    expect(TABLE.map(({ error_code, status, severity }) => [error_code, status, severity]).sort()).toEqual(ours.sort());
  });

  it.each(TABLE.filter(({ user_message }) => user_message !== null))(
    'gives $error_code its golden message, letter for letter',
    ({ error_code, user_message }) => {
      expect(GOLDEN[error_code]).toBe(user_message);
    },
  );

  it('has one way of meeting each row, or says aloud why there is none yet', () => {
    const places = [PRODUCERS, PRODUCED_INSIDE, NOT_YET].map((place) => Object.keys(place).filter(isErrorCode));
    expect(places.flat().sort()).toEqual(TABLE.map(({ error_code }) => error_code).sort());
    for (const list of [NOT_YET, CODE_ONLY])
      for (const [code, why] of Object.entries(list)) process.stderr.write(`spec/failures.md: ${code} ${why}\n`);
  });

  it('finds a code wherever it is thrown, also by a class of its own', () => {
    expect(sourcesThatThrow('RATE_LIMITED')).toContain(join('libs', 'kernel', 'src', 'errors.ts'));
    expect(sourcesThatThrow('JOB_SEED_CONFLICT')).not.toEqual([]);
  });

  it('holds a row back only as long as nothing is refused with it', () => {
    const held = Object.keys(NOT_YET).filter((code) => code !== 'CACHE_ERROR');
    expect(held.filter((code) => sourcesThatThrow(code).length > 0)).toEqual([]);
  });
});

describe('each row of the table, over HTTP', () => {
  let shared: JobApp;
  const tampered: string[] = [];

  beforeAll(async () => {
    shared = await JobApp.open();
  });
  afterAll(() => shared.dispose({ tampered }));

  /** On an application of its own where the failure leaves it broken. */
  async function met(code: ErrorCode, meet: (stage: Stage) => Promise<void>): Promise<void> {
    const own = LASTING.has(code);
    const stage = await stageOn(own ? await JobApp.open() : shared, code);
    try {
      await meet(stage);
    } finally {
      jest.restoreAllMocks();
      if (own) await stage.app.dispose({ tampered: stage.tampered });
      else tampered.push(...stage.tampered);
    }
  }

  it.each(TABLE.filter(({ error_code }) => PRODUCERS[error_code]))(
    '$error_code is answered with $status, its severity, its message and the developer’s, in both forms',
    ({ error_code, status, severity }) =>
      met(error_code, async (stage) => {
        const request = await PRODUCERS[error_code]!(stage);
        const row = { error_code, status, severity, user_message: GOLDEN[error_code] };
        const plain = await request({ accept: 'application/json' }, 1);
        expect([plain.status, plain.headers['content-type']]).toEqual([status, 'application/json; charset=utf-8']);
        expect(plain.body).toEqual({ ...row, developer_message: toldIn(error_code), meta: META });

        const problem = await request({ accept: 'application/problem+json' }, 2);
        expect([problem.status, problem.headers['content-type']]).toEqual([
          status,
          'application/problem+json; charset=utf-8',
        ]);
        const { type, title, detail, ...envelope } = problem.body as unknown as Record<string, unknown>;
        expect([type, title, detail]).toEqual(['about:blank', error_code, envelope['developer_message']]);
        expect(envelope).toEqual({ ...row, developer_message: toldIn(error_code), meta: META });
      }),
  );

  it.each(TABLE.filter(({ error_code }) => PRODUCED_INSIDE[error_code]))(
    '$error_code is told inside an answer of 200',
    ({ error_code, status, severity }) =>
      met(error_code, async (stage) => {
        const { of, at } = PRODUCED_INSIDE[error_code]!;
        const answer = await (await of(stage))({}, 1);
        expect(answer.status).toBe(200);
        const developer_message = CODE_ONLY[error_code] === undefined ? toldIn(error_code) : undefined;
        const whole = { error_code, status, severity, user_message: GOLDEN[error_code], developer_message };
        expect(at(answer.body)).toMatchObject(CODE_ONLY[error_code] === undefined ? whole : { error_code });
      }),
  );
});

/** What developers are told of a code: as a situation of their table has it, whatever its placeholders stand for. */
function toldIn(code: ErrorCode): string {
  const table: Readonly<Record<string, Readonly<Record<string, string>>>> = DEVELOPER_MESSAGES;
  const forms = Object.values(table[code] ?? {}).map((template) =>
    template
      .split(/\{\w+\}/)
      .map(escaped)
      .join('.*?'),
  );
  return expect.stringMatching(new RegExp(`^(?:${forms.join('|')})$`)) as string;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const META: unknown = expect.objectContaining({
  query_id: expect.stringMatching(/^q-[0-9a-f]{32}$/) as string,
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
  trace_id: expect.stringMatching(/^trace-[0-9a-f]{16}$/) as string,
});

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join('test/golden', name), 'utf8')) as T;
}

/** Wherever a call, also that of a constructor above, begins with the code. */
function sourcesThatThrow(code: string): string[] {
  const thrown = new RegExp(`\\(\\s*'${code}'`);
  return ['apps', 'libs'].flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .map((name) => join(room, name))
      .filter((path) => thrown.test(readFileSync(path, 'utf8'))),
  );
}
