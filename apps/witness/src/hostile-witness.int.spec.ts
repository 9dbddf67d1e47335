import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { KeyRing } from '#lib/kernel';
import { answerText, LogKeys, parseQuestion, reportText, WitnessClient } from '#lib/proof';
import { parseNote, parseVkey, verifyNote } from '#lib/verifier';

import { ORIGIN, signingKey } from '../../../libs/proof/src/testing/proof-support.js';
import { WitnessKey } from './witness-key.js';

/** What answers in the witness's place, or is the witness and means ill. */
type Answers = (body: string, response: ServerResponse) => void;

const SIGNED_AT = 1_700_000_000;
const PATIENCE_MS = 20_000;
const log = new LogKeys(new KeyRing([signingKey()]), ORIGIN, Date.now);
const foreign = new LogKeys(new KeyRing([signingKey()]), ORIGIN, Date.now);
const ROOT = Buffer.alloc(32, 3);

let folder: string;
let key: WitnessKey;
let stranger: WitnessKey;
let server: Server;
let answers: Answers;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-hostile-'));
  key = WitnessKey.open(join(folder, 'key'), 'w.test/1');
  stranger = WitnessKey.open(join(folder, 'stranger'), 'w.test/2');
  server = createServer((request, response) => void bodyOf(request).then((body) => answers(body, response)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Of a log that would call anything another history that its key has signed. */
const contradictions: unknown[] = [];
const TOOLS = {
  consistency: () => [],
  erasedKeys: () => [],
  holds: async () => false,
  contradicted: (found: unknown) => void contradictions.push(found),
};

const client = (timeoutMs = PATIENCE_MS, onFault?: (fault: string | null) => void): WitnessClient =>
  new WitnessClient({
    url,
    key: parseVkey(key.vkey),
    log,
    timeoutMs,
    firstPauseMs: 5,
    now: () => 1000 * SIGNED_AT,
    ...(onFault && { onFault }),
  });
const says =
  (text: string, status = 200): Answers =>
  (_, response) => {
    response.writeHead(status).end(text);
  };

/** Never ends by itself: a byte now and then, or as much as is taken. */
const drips: Answers = (_, response) => {
  const timer = setInterval(() => response.write('.'), 20);
  response.on('close', () => clearInterval(timer));
};
const floods: Answers = (_, response) => {
  const chunk = 'x'.repeat(65_536);
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', pour);
  pour();
};

describe('a list of erased keys', () => {
  const report = (by: LogKeys, origin = ORIGIN): string =>
    by.signText(reportText({ origin, marks: [by.markOf('user_tuff.1.9ba62cb8')] }));
  /** As the witness answers, but for what is changed. */
  const answering =
    (change: object, by = key, reports: readonly string[] = [report(log)]): Answers =>
    (body, response) => {
      const question = parseQuestion(parseNote(body).text)!;
      const text = answerText({ ...question, reports, more: false, ...change });
      response.end(`${text}\n${by.cosign(text, SIGNED_AT)}`);
    };

  it('is taken where the pinned key gives it and the log has signed what is in it', async () => {
    answers = answering({});
    const marks = await client().erasedMarks();
    expect(log.isMarked('user_tuff.1.9ba62cb8', marks)).toBe(true);
    expect(log.isMarked('user_bob.1.9ba62cb8', marks)).toBe(false);
    answers = answering({ reports: [] });
    expect((await client().erasedMarks()).size).toBe(0);
  });

  it.each<[string, () => Answers]>([
    ['that is a page', () => says('<html>')],
    ['of kids that nobody signed', () => says('mace erased keys/v1\nanything.example/x\nuser_bob.1.e176fd3f\n')],
    ['that is not there', () => says('no erased keys\n', 404)],
    ['that the pinned key has not signed', () => answering({}, stranger)],
    ['for another question', () => answering({ nonce: '0'.repeat(32) })],
    ['from another place on', () => answering({ after: 1 })],
    ['of another log', () => answering({ origin: 'other.test' })],
    ['with a report that the log has not signed', () => answering({}, key, [report(foreign)])],
    ['with a report of another log', () => answering({}, key, [report(log, 'other.test')])],
    ['with a report that is something else', () => answering({}, key, [log.sign(1, ROOT)])],
    ['without an end', () => answering({ more: true, reports: [] })],
    ['longer than any', () => floods],
  ])('%s is refused', async (_what, hostile) => {
    answers = hostile();
    await expect(client().erasedMarks()).rejects.toThrow(
      `the witness ${url} does not give the list of erased data keys`,
    );
  });
});

describe('the last checkpoint of a witness', () => {
  it.each<[string, () => string]>([
    ['a page', () => '<html>'],
    ['a checkpoint that somebody else signed', () => foreign.sign(9, ROOT)],
    ['a note of the log that is no checkpoint', () => log.signText('hello\n')],
  ])('is none where it answers %s, and it is said', async (_what, text) => {
    answers = says(text());
    const asked = client();
    expect(await asked.lastNote()).toBeNull();
    expect(asked.state().problem).toContain('answers with a checkpoint that this log has not signed');
  });

  it('is none where the answer drips or never ends, and that is told in time', async () => {
    answers = drips;
    const slow = client(100);
    expect(await slow.lastNote()).toBeNull();
    expect(slow.state().problem).toContain('has not answered within 100 ms');
    answers = floods;
    const endless = client();
    expect(await endless.lastNote()).toBeNull();
    expect(endless.state().problem).toContain('answers with more than 100000 bytes');
  });
});

describe('a cosignature', () => {
  const note = log.sign(4, ROOT);
  const { text } = parseNote(note);
  const forged = (): string => {
    const line = note.split('\n').at(-2)!;
    const [dash, name, encoded] = line.split(' ') as [string, string, string];
    const bytes = Buffer.from(encoded, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    return `${dash} ${name} ${bytes.toString('base64')}\n`;
  };
  /** What is kept of the answer; the reason where nothing is. */
  const offered = async (answer: string): Promise<{ readonly kept?: string; readonly fault?: string }> => {
    answers = says(answer);
    return new Promise((resolve) => {
      const asked = client(PATIENCE_MS, (fault) => {
        if (fault !== null) void asked.close().then(() => resolve({ fault }));
      });
      const checkpoint = { number: 1, size: 4, note } as Parameters<WitnessClient['offer']>[0];
      const keep = async (kept: string): Promise<void> => void asked.close().then(() => resolve({ kept }));
      asked.offer(checkpoint, { ...TOOLS, keep });
    });
  };

  it.each<[string, () => string]>([
    ['a forged line of the log', () => forged() + key.cosign(text, SIGNED_AT)],
    [
      'lines of keys that nobody knows',
      () => stranger.cosign(text, SIGNED_AT).repeat(40) + key.cosign(text, SIGNED_AT),
    ],
    ['another of its own', () => key.cosign(text, SIGNED_AT - 1) + key.cosign(text, SIGNED_AT)],
  ])('is kept without %s', async (_what, answer) => {
    const { kept } = await offered(answer());
    expect(kept).toBe(note + key.cosign(text, SIGNED_AT));
    expect(verifyNote(parseNote(kept!), [parseVkey(key.vkey), ...log.verifiers])).toHaveLength(2);
  });

  it.each<[string, () => string]>([
    ['over more than the checkpoint', () => `evil\n\n${key.cosign(`${text}\nevil\n`, SIGNED_AT)}`],
    ['of another key', () => stranger.cosign(text, SIGNED_AT)],
    ['over another checkpoint', () => key.cosign('hello\n', SIGNED_AT)],
    ['that is a page', () => '<html>'],
  ])('%s is none', async (_what, answer) => {
    const { fault } = await offered(answer());
    expect(fault).toMatch(/answers with(out)? a signature/);
  });

  it.each([0, SIGNED_AT - 301, SIGNED_AT + 301, 9_223_372_036_854_775])(
    'for another time than it is here (%d) is none, and that is said of the witness',
    async (at) => {
      const { fault } = await offered(key.cosign(text, at));
      expect(fault).toContain(`cosigns for the time ${at}, in seconds since 1970, and here it is ${SIGNED_AT}`);
    },
  );

  it('comes although the witness said once that it had seen more', async () => {
    let asked = 0;
    answers = (_, response) => {
      if (asked++ === 0) response.writeHead(409).end('9007199254740991\n');
      else response.end(key.cosign(text, SIGNED_AT));
    };
    const heard: (string | null)[] = [];
    const kept = await new Promise<string>((resolve) => {
      const patient = client(PATIENCE_MS, (fault) => void heard.push(fault));
      const checkpoint = { number: 1, size: 4, note } as Parameters<WitnessClient['offer']>[0];
      const keep = async (whole: string): Promise<void> => void patient.close().then(() => resolve(whole));
      patient.offer(checkpoint, { ...TOOLS, keep });
    });
    expect(kept).toContain(key.cosign(text, SIGNED_AT));
    expect(heard[0]).toContain('has cosigned 9007199254740991 events, and this log has 4');
    expect(contradictions).toEqual([]);
  });

  it('comes although the list of erased keys is refused, and that is said', async () => {
    const seen: string[] = [];
    answers = (body, response) => {
      const isList = body.startsWith('mace erased keys/');
      seen.push(isList ? 'list' : 'checkpoint');
      response.writeHead(isList ? 400 : 200).end(isList ? 'no\n' : key.cosign(text, SIGNED_AT));
    };
    const kept: string[] = [];
    const fault = await new Promise<string>((resolve) => {
      const asked = client(PATIENCE_MS, (said) => said !== null && void asked.close().then(() => resolve(said)));
      const checkpoint = { number: 1, size: 4, note } as Parameters<WitnessClient['offer']>[0];
      const erasedKeys = (): readonly string[] => ['user_tuff.1.9ba62cb8'];
      asked.offer(checkpoint, {
        ...TOOLS,
        keep: async (text) => void kept.push(text),
        erasedKeys,
      });
    });
    expect(fault).toContain('refuses the list of erased keys');
    expect(kept).toHaveLength(1);
    expect(seen.slice(0, 2)).toEqual(['checkpoint', 'list']);
  });
});
