import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';

import { expectDescribed } from '../../../../test/support/described-answers.js';
import { JobApp } from '../../../../test/support/job-app.js';

/** Requests over bare sockets that no ordinary client sends, to the whole application: refused in the envelope, never 5xx. */

let app: JobApp;
let port: number;
let token: string;

beforeAll(async () => {
  app = await JobApp.open();
  token = await app.token('tuff');
  await app.parts.app.nest.listen(0, '127.0.0.1');
  port = (app.parts.app.fastify.server.address() as AddressInfo).port;
});
afterAll(() => app.dispose());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What came on one connection until its end; its last request says `connection: close`, or the server ends it. */
async function sent(bytes: string | Buffer): Promise<readonly Answer[]> {
  const socket = connect({ port, host: '127.0.0.1' });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server that has refused may close before everything was sent.
  socket.on('error', () => socket.destroy());
  socket.write(bytes);
  await once(socket, 'close');
  return answersIn(Buffer.concat(chunks).toString('latin1'));
}

function answersIn(text: string): readonly Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((header) => [header.split(':')[0]!.toLowerCase(), header.slice(header.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ status: Number(line.split(' ')[1]), headers, text: Buffer.from(body, 'latin1').toString('utf8') });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/** A request of somebody with a token, closing its connection. */
function request(line: string, headers: readonly string[] = [], body = ''): string {
  const all = [line, 'host: mace', `authorization: Bearer ${token}`, 'connection: close', ...headers];
  return `${all.join('\r\n')}\r\n\r\n${body}`;
}

function json(line: string, body: string | Buffer, headers: readonly string[] = []): Buffer {
  const length = `content-length: ${Buffer.byteLength(body)}`;
  const head = request(line, ['content-type: application/json', length, ...headers]);
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

const ASK = 'POST /jobs HTTP/1.1';
const QUESTION = '{"query_text":"2+2"}';
const SEM = '/sem/user/profile/user_tuff';
const LONG = 'a'.repeat(20_000);

type Refusals = readonly (readonly [what: string, code: string, bytes: () => string | Buffer])[];

const OF_PATHS: Refusals = [
  ['steps up out of a key', 'NOT_FOUND', () => request(`GET ${SEM}/../../../../etc/passwd HTTP/1.1`)],
  ['steps up in percent-encoding', 'INVALID_INPUT', () => request(`GET ${SEM}/%2e%2e HTTP/1.1`)],
  ['steps up in double encoding', 'INVALID_INPUT', () => request(`GET ${SEM}/%252e%252e%252f HTTP/1.1`)],
  ['a slash inside a part', 'INVALID_INPUT', () => request(`GET ${SEM}/favorite%2fcolor HTTP/1.1`)],
  ['a key encoded twice', 'INVALID_INPUT', () => request(`GET ${SEM}/favorite%255fcolor HTTP/1.1`)],
  ['a backslash', 'INVALID_INPUT', () => request(`GET ${SEM}/..%5c..%5c HTTP/1.1`)],
  ['a NUL', 'INVALID_INPUT', () => request(`GET ${SEM}/favorite%00color HTTP/1.1`)],
  ['overlong UTF-8', 'INVALID_INPUT', () => request(`GET ${SEM}/%c0%ae%c0%ae HTTP/1.1`)],
  ['half an escape', 'INVALID_INPUT', () => request(`GET ${SEM}/%f HTTP/1.1`)],
  ['another case of the scope', 'INVALID_INPUT', () => request('GET /sem/USER/profile/user_tuff/x HTTP/1.1')],
  ['look-alike letters', 'INVALID_INPUT', () => request(`GET ${SEM}/%EF%BD%86avorite HTTP/1.1`)],
  ['another’s key by encoding', 'PERMISSION_DENIED', () => request('GET /sem/user/profile/user_%61nn/x HTTP/1.1')],
  ['an asset beside the page', 'NOT_FOUND', () => request('GET /docs/..%2f..%2fpackage.json HTTP/1.1')],
  ['an asset by an inherited name', 'NOT_FOUND', () => request('GET /docs/__proto__ HTTP/1.1')],
  ['two slashes', 'NOT_FOUND', () => request('GET //jobs HTTP/1.1')],
  ['a path parameter', 'NOT_FOUND', () => request('GET /jobs;jsessionid=1 HTTP/1.1')],
  ['a path longer than the limit', 'INVALID_INPUT', () => request(`GET /jobs/${LONG} HTTP/1.1`)],
  ['a query longer than the limit', 'INVALID_INPUT', () => request(`GET /jobs?cursor=${LONG} HTTP/1.1`)],
  ['a long part within the limit', 'NOT_FOUND', () => request(`GET /jobs/${LONG.slice(0, 9_000)} HTTP/1.1`)],
  ['an authority for a target', 'INVALID_INPUT', () => request('GET mace:80 HTTP/1.1')],
];

const OF_METHODS: Refusals = [
  ['OPTIONS', 'NOT_FOUND', () => request('OPTIONS /jobs HTTP/1.1', ['origin: https://elsewhere.example'])],
  ['OPTIONS of everything', 'NOT_FOUND', () => request('OPTIONS * HTTP/1.1')],
  ['TRACE', 'NOT_FOUND', () => request('TRACE /jobs HTTP/1.1')],
  ['a method of WebDAV', 'NOT_FOUND', () => request('PROPFIND /jobs HTTP/1.1')],
  ['a method that nobody knows', 'INVALID_INPUT', () => request('BREW /jobs HTTP/1.1')],
  ['a method in small letters', 'INVALID_INPUT', () => request('get /jobs HTTP/1.1')],
  ['another method by a header', 'NOT_FOUND', () => request('DELETE /jobs HTTP/1.1', ['x-http-method-override: GET'])],
  ['a write by GET', 'NOT_FOUND', () => request('GET /module/register HTTP/1.1')],
];

const OF_QUERIES: Refusals = [
  ['a parameter twice', 'INVALID_INPUT', () => request('GET /jobs?limit=1&limit=2 HTTP/1.1')],
  ['a parameter twice, once encoded', 'INVALID_INPUT', () => request('GET /jobs?limit=1&%6cimit=2 HTTP/1.1')],
  ['a parameter as a list', 'INVALID_INPUT', () => request('GET /jobs?limit[]=1 HTTP/1.1')],
  ['a parameter as an object', 'INVALID_INPUT', () => request('GET /jobs?limit[gt]=1 HTTP/1.1')],
  ['a parameter that reaches a prototype', 'INVALID_INPUT', () => request('GET /jobs?__proto__[x]=1 HTTP/1.1')],
  ['one that nobody knows', 'INVALID_INPUT', () => request('GET /jobs?admin=true HTTP/1.1')],
  ['too large a limit', 'INVALID_INPUT', () => request('GET /jobs?limit=201 HTTP/1.1')],
  ['a limit that is no number', 'INVALID_INPUT', () => request('GET /jobs?limit=1e2 HTTP/1.1')],
  ['a NUL', 'INVALID_INPUT', () => request('GET /jobs?cursor=%00 HTTP/1.1')],
  ['a cursor of one’s own', 'INVALID_INPUT', () => request('GET /jobs?cursor=eyJhIjoxfQ HTTP/1.1')],
];

const OF_HEADERS: Refusals = [
  ['two tokens', 'INVALID_INPUT', () => request('GET /jobs HTTP/1.1', ['authorization: Bearer another'])],
  ['two hosts', 'INVALID_INPUT', () => request('GET /jobs HTTP/1.1', ['host: other'])],
  [
    'two conditions',
    'INVALID_INPUT',
    () => json(`PUT ${SEM}/x HTTP/1.1`, '{"value":1}', ['if-match: "1"', 'if-match: "2"']),
  ],
  ['two keys', 'INVALID_INPUT', () => json(ASK, QUESTION, ['idempotency-key: a', 'idempotency-key: b'])],
  ['a key with blanks', 'INVALID_INPUT', () => json(ASK, QUESTION, ['idempotency-key: a b'])],
  ['a key that is too long', 'INVALID_INPUT', () => json(ASK, QUESTION, [`idempotency-key: ${'k'.repeat(129)}`])],
  ['a weak tag', 'PRECONDITION_FAILED', () => json(`PUT ${SEM}/x HTTP/1.1`, '{"value":1}', ['if-match: W/"1"'])],
  ['a tag without quotes', 'INVALID_INPUT', () => json(`PUT ${SEM}/x HTTP/1.1`, '{"value":1}', ['if-match: 1'])],
  ['a header line that is folded', 'INVALID_INPUT', () => request('GET /jobs HTTP/1.1', ['x-a: 1', ' folded'])],
  ['a blank before the colon', 'INVALID_INPUT', () => request('GET /jobs HTTP/1.1', ['x-a : 1'])],
  ['a bare line feed', 'INVALID_INPUT', () => 'GET /jobs HTTP/1.1\nhost: mace\n\n'],
  ['more headers than the limit', 'INVALID_INPUT', () => request('GET /jobs HTTP/1.1', [`x-a: ${LONG}`])],
  [
    'a token of another scheme',
    'UNAUTHENTICATED',
    () => 'GET /jobs HTTP/1.1\r\nhost: mace\r\nauthorization: Basic dTpw\r\nconnection: close\r\n\r\n',
  ],
];

const OF_BODIES: Refusals = [
  ['JSON as a form', 'INVALID_INPUT', () => typed('application/x-www-form-urlencoded', QUESTION)],
  ['JSON as text', 'INVALID_INPUT', () => typed('text/plain', QUESTION)],
  ['JSON of parts', 'INVALID_INPUT', () => typed('multipart/form-data; boundary=x', QUESTION)],
  ['JSON of a near type', 'INVALID_INPUT', () => typed('application/jsonp', QUESTION)],
  ['two types', 'INVALID_INPUT', () => typed('application/json\r\ncontent-type: text/plain', QUESTION)],
  ['another charset', 'INVALID_INPUT', () => typed('application/json; charset=utf-16', QUESTION)],
  ['two charsets', 'INVALID_INPUT', () => typed('application/json; charset=utf-8; charset=utf-16', QUESTION)],
  ['no type', 'INVALID_INPUT', () => request(ASK, [`content-length: ${QUESTION.length}`], QUESTION)],
  ['a packed body', 'INVALID_INPUT', () => json(ASK, QUESTION, ['content-encoding: gzip'])],
  ['a member twice', 'INVALID_INPUT', () => json(ASK, '{"query_text":"a","query_text":"b"}')],
  ['a member twice, once escaped', 'INVALID_INPUT', () => json(ASK, '{"query_text":"a","query\\u005ftext":"b"}')],
  [
    'a member twice, deep inside',
    'INVALID_INPUT',
    () => json(ASK, '{"query_text":"a","context_tags":{"x":"1","x":"2"}}'),
  ],
  ['a prototype', 'INVALID_INPUT', () => json(ASK, '{"query_text":"a","__proto__":{"x":1}}')],
  ['an unknown member', 'INVALID_INPUT', () => json(ASK, '{"query_text":"a","admin":true}')],
  ['a list for an object', 'INVALID_INPUT', () => json(ASK, `[${QUESTION}]`)],
  ['a number for a text', 'INVALID_INPUT', () => json(ASK, '{"query_text":1}')],
  ['something after the end', 'INVALID_INPUT', () => json(ASK, `${QUESTION} x`)],
  ['bytes that are no UTF-8', 'INVALID_INPUT', () => json(ASK, Buffer.from([0x22, 0xff, 0xfe, 0x22]))],
  ['half a surrogate', 'INVALID_INPUT', () => json(ASK, '{"query_text":"\\ud800"}')],
  ['NaN', 'INVALID_INPUT', () => json(`PUT ${SEM}/x HTTP/1.1`, '{"value":NaN}')],
  ['a number beyond all numbers', 'INVALID_INPUT', () => json(`PUT ${SEM}/x HTTP/1.1`, '{"value":1e999}')],
  [
    '10,000 lists in lists',
    'INVALID_INPUT',
    () => json(`PUT ${SEM}/x HTTP/1.1`, `{"value":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
  ],
];

const OF_FRAMES: Refusals = [
  [
    'a length and chunks',
    'INVALID_INPUT',
    () =>
      request(
        ASK,
        ['content-type: application/json', 'content-length: 4', 'transfer-encoding: chunked'],
        '0\r\n\r\nGET /jobs',
      ),
  ],
  ['two lengths', 'INVALID_INPUT', () => request(ASK, ['content-length: 2', 'content-length: 20'], QUESTION)],
  ['a length that is no number', 'INVALID_INPUT', () => request(ASK, ['content-length: +20'], QUESTION)],
  ['a coding nobody knows', 'INVALID_INPUT', () => request(ASK, ['transfer-encoding: xchunked'], QUESTION)],
  [
    'a coding behind chunks',
    'INVALID_INPUT',
    () => request(ASK, ['transfer-encoding: chunked, identity'], '0\r\n\r\n'),
  ],
  [
    'a chunk whose size is no number',
    'INVALID_INPUT',
    () =>
      request(ASK, ['content-type: application/json', 'transfer-encoding: chunked'], `zz\r\n${QUESTION}\r\n0\r\n\r\n`),
  ],
  ['a version there is none of', 'INVALID_INPUT', () => 'GET /jobs HTTP/9.9\r\nhost: mace\r\n\r\n'],
  ['the beginning of HTTP/2', 'INVALID_INPUT', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['the beginning of TLS', 'INVALID_INPUT', () => Buffer.from('16030100c8010000c40303', 'hex')],
];

function typed(type: string, body: string): string {
  return request(ASK, [`content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`], body);
}

describe.each([
  ['path', OF_PATHS],
  ['method', OF_METHODS],
  ['query', OF_QUERIES],
  ['header', OF_HEADERS],
  ['body', OF_BODIES],
  ['frame', OF_FRAMES],
])('a request whose %s is hostile', (_, refusals) => {
  it.each(refusals)('is refused in the envelope: %s', async (what, code, bytes) => {
    const answers = await sent(bytes());
    // Where nobody can tell the end of a request, what follows is refused too, and the connection closed.
    const codes = new Set(answers.map(({ text }) => (JSON.parse(text) as { error_code: string }).error_code));
    expect([what, ...codes]).toEqual([what, code]);
    const [{ status, headers, text }] = answers as [Answer];
    expectDescribed({ method: 'REFUSED', url: '/', status, contentType: headers['content-type'], text });
    expect(headers).toMatchObject({
      signature: expect.any(String) as string,
      'x-trace-id': expect.any(String) as string,
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('what is odd, and allowed', () => {
  it('HEAD has the answer’s headers and nothing behind them, or is no route', async () => {
    const [answer, ...more] = await sent(request('HEAD /health/live HTTP/1.1'));
    expect(more).toEqual([]);
    expect([200, 404]).toContain(answer!.status);
  });

  it('a mark of byte order before JSON is passed over (RFC 8259, section 8.1)', async () => {
    const [answer] = await sent(json(ASK, `\ufeff${QUESTION}`));
    expect(JSON.parse(answer!.text)).toMatchObject({ status: 'completed' });
  });

  it('the content of a read says nothing, and is never taken for a request', async () => {
    const answers = await sent(json('GET /jobs?limit=1 HTTP/1.1', 'GET /nowhere HTTP/1.1\r\nhost: mace\r\n\r\n'));
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it('an unknown coding never lets a request through whose end nobody knows', async () => {
    const path = '/auth/revoke HTTP/1.1';
    const answers = await sent(request(`POST ${path}`, ['transfer-encoding: xchunked'], QUESTION));
    expect(answers[0]!.text).toContain('Transfer-Encoding: chunked, or none');
  });

  it('a key in percent-encoding is the key', async () => {
    const [written] = await sent(json(`PUT ${SEM}/favorite%5Fcolor HTTP/1.1`, '{"value":"blue"}'));
    const [read] = await sent(request(`GET ${SEM}/favorite_color HTTP/1.1`));
    expect([written!.status, JSON.parse(read!.text)]).toMatchObject([200, { value: 'blue' }]);
  });

  it('a body in chunks is a body', async () => {
    const chunks = `5\r\n${QUESTION.slice(0, 5)}\r\n${(QUESTION.length - 5).toString(16)}\r\n${QUESTION.slice(5)}\r\n0\r\n\r\n`;
    const [answer] = await sent(request(ASK, ['content-type: application/json', 'transfer-encoding: chunked'], chunks));
    expect(JSON.parse(answer!.text)).toMatchObject({ status: 'completed' });
  });

  it('a second request on the connection is answered for itself', async () => {
    const first = `GET /health/live HTTP/1.1\r\nhost: mace\r\n\r\n`;
    const answers = await sent(first + request('GET /nowhere HTTP/1.1'));
    expect(answers.map(({ status }) => status)).toEqual([200, 404]);
  });
});
