import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { detect, detectInPayload } from '../detection.js';
import { type Finding } from './pii-types.js';
import { piiHash, redact } from './redact.js';

const finding = (type: Finding['type'], category: Finding['category'], start: number, end: number): Finding => ({
  type,
  category,
  start,
  end,
  score: 0.9,
  rule: `${type}.test`,
});

describe('redaction', () => {
  it('puts the type where the value was and leaves the rest', () => {
    const text = 'My SSN is 123-45-6789, write to john@gmail.com.';
    expect(redact(text, detect(text))).toBe('My SSN is [redacted:us_ssn], write to [redacted:email].');
  });

  it('makes one of overlapping findings and names it after the highest category', () => {
    const findings = [
      finding('phone', 'medium', 0, 6),
      finding('payment_card', 'high', 4, 9),
      finding('email', 'medium', 8, 10),
    ];
    expect(redact('0123456789x', findings)).toBe('[redacted:payment_card]x');
  });

  it('keeps neighbours apart and takes findings in any order', () => {
    const findings = [finding('email', 'medium', 3, 5), finding('phone', 'medium', 1, 3)];
    expect(redact('abcdef', findings)).toBe('a[redacted:phone][redacted:email]f');
  });

  it('leaves nothing that would be found again', () => {
    const values = fc.constantFrom(
      '123-45-6789',
      '4111 1111 1111 1111',
      'john@gmail.com',
      '+1 415 555 2671',
      'ssn',
      'call',
      'and',
      '12',
    );
    fc.assert(
      fc.property(fc.array(values), (parts) => {
        const text = parts.join(', ');
        expect(detect(redact(text, detect(text)))).toEqual([]);
      }),
    );
  });

  it('hashes the value as sent, followed by the job seed', () => {
    const key = Buffer.alloc(32, 7);
    expect(piiHash(key, '123-45-6789', 'seed-1')).toBe(
      createHmac('sha256', key).update('123-45-6789seed-1').digest('hex'),
    );
  });
});

describe('a payload', () => {
  it('is scanned in every leaf and key, numbers as text, in document order', () => {
    const payload = { a: [1, { b: 'ssn 123-45-6789' }], 'john@gmail.com': true, 'x/~y': 4111111111111111 };
    expect(detectInPayload(payload).map((found) => [found.pointer, found.in, found.finding.type])).toEqual([
      ['/a/1/b', 'value', 'us_ssn'],
      ['/john@gmail.com', 'key', 'email'],
      ['/x~1~0y', 'value', 'payment_card'],
    ]);
  });

  it('takes the keys above a value as what is said of it', () => {
    const found = detectInPayload({
      ssn: 123456789,
      contact: { phoneNumber: '4155552671' },
      socialSecurityNumber: ['123456789'],
      n: 123456789,
    });
    expect(found.map(({ pointer, finding: { type } }) => [pointer, type])).toEqual([
      ['/ssn', 'us_ssn'],
      ['/contact/phoneNumber', 'phone'],
      ['/socialSecurityNumber/0', 'us_ssn'],
    ]);
  });

  it('may be a bare text, null, 100,000 levels deep, or a circle', () => {
    expect(detectInPayload('john@gmail.com')).toHaveLength(1);
    expect(detectInPayload(null)).toEqual([]);
    let deep: unknown = 'john@gmail.com';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(detectInPayload(deep)).toHaveLength(1);
    const circle: Record<string, unknown> = { mail: 'john@gmail.com' };
    circle['self'] = circle;
    expect(detectInPayload(circle)).toHaveLength(1);
  });
});
