import { ForeignAnswerError } from './errors.js';
import { type SseMessage, sseMessages } from './sse.js';

it('a stream is read as WHATWG writes it, however it is cut: comments, both line ends, lines of data, letters of several bytes', async () => {
  const text =
    ': hello\r\nid: 1\r\n\r\nevent: progress\ndata: {"a":\ndata:"é😀"}\nid:2\nretry: 7\nodd\n\n\n\ndata\n\ndata: cut off';
  const whole = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, whole.length]) {
    const parts = async function* () {
      for (let at = 0; at < whole.length; at += size) yield await Promise.resolve(whole.subarray(at, at + size));
    };
    const found: SseMessage[] = [];
    for await (const message of sseMessages(parts())) found.push(message);
    expect(found).toEqual([
      { event: 'message', id: '1', data: undefined, retryMs: undefined },
      { event: 'progress', id: '2', data: '{"a":\n"é😀"}', retryMs: 7 },
      { event: 'message', id: undefined, data: '', retryMs: undefined },
    ]);
  }
});

it.each([
  ['a line without end', 'x'.repeat(1_000_000)],
  ['lines without a blank one', `data: ${'x'.repeat(1_000_000)}\n`],
  ['short lines without a blank one', 'a\n'.repeat(100_000)],
])('a message that is %s is none of this interface, and not gathered for ever', async (_, part) => {
  const bytes = new TextEncoder().encode(part);
  let sent = 0;
  const long = async function* () {
    while (sent < 100_000_000) {
      sent += bytes.length;
      yield await Promise.resolve(bytes);
    }
  };
  await expect(sseMessages(long()).next()).rejects.toThrow(ForeignAnswerError);
  expect(sent).toBeLessThan(40_000_000);
});

it('many messages are read, however long they are together', async () => {
  const bytes = new TextEncoder().encode(`data: ${'x'.repeat(1_000_000)}\n\n`);
  const parts = async function* () {
    for (let i = 0; i < 50; i++) yield await Promise.resolve(bytes);
  };
  let found = 0;
  for await (const { data } of sseMessages(parts())) found += data?.length ?? 0;
  expect(found).toBe(50_000_000);
});
