import { savedAnswer, SavedAnswerError } from './saved-answer.js';

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nX-A:  b \r\n\r\none\r\n\r\ntwo';

describe('a saved answer', () => {
  it('is status, headers in order, and every byte of the content', () => {
    expect(savedAnswer(Buffer.from(ANSWER))).toEqual({
      status: 200,
      headers: [
        ['content-type', 'text/plain'],
        ['X-A', 'b'],
      ],
      body: Buffer.from('one\r\n\r\ntwo'),
    });
  });

  it('may come after interim answers and a tunnel', () => {
    const before = 'HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
    expect(savedAnswer(Buffer.from(before + ANSWER))).toEqual(savedAnswer(Buffer.from(ANSWER)));
  });

  it('is refused where more stands before it than a server ever sends', () => {
    const before = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(21);
    expect(() => savedAnswer(Buffer.from(before + ANSWER))).toThrow(SavedAnswerError);
  });

  it('may be of HTTP/2, and have lost its carriage returns', () => {
    expect(savedAnswer(Buffer.from('HTTP/2 404 \na: b\n\nx'))).toMatchObject({ status: 404, headers: [['a', 'b']] });
  });

  it.each(['', '{"a":1}', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 2000 OK\r\n\r\n', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'])(
    'is refused where it is none: %j',
    (text) => expect(() => savedAnswer(Buffer.from(text))).toThrow(SavedAnswerError),
  );
});
