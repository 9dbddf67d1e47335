import { createPrivateKey, sign } from 'node:crypto';

import { fixtureKeyRing } from '#lib/access';
import { ResponseSigner, type UnsignedAnswer } from '#lib/signatures';

import { cpuOf, drive } from '../harness/callers.js';
import { atMost, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';

const ANSWERS = 20_000;
const CALLERS = 64;
/** What `GET /sem` answers. */
const ANSWER: UnsignedAnswer = {
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: '{"exists":true,"value":"blue","source":"user","last_updated":"2026-01-01T12:00:00.000Z","meta":{}}',
  traceId: 'trace-6c4def45dc3b57f7',
  request: { method: 'GET', target: '/sem/user/profile/user_bench/favorite_color' },
};
/** As long as the text that is signed for it. */
const BASE = Buffer.alloc(470, 'a');

/** Digest, signature base and signature of an answer. */
export const signing: Row = {
  name: 'sign',
  async run({ rounds, scale, say }) {
    const answers = Math.ceil(ANSWERS * scale);
    const pair = fixtureKeyRing().active('response-signature');
    const signer = new ResponseSigner(pair);
    const key = createPrivateKey({ key: pair.secret, format: 'der', type: 'pkcs8' });
    const throughPool: number[] = [];
    // Processor time, which other work on the machine hardly moves; as a rate, so that more is better.
    const rate = (work: () => void) => (): Promise<number> => {
      const before = process.cpuUsage();
      for (let i = 0; i < answers; i++) work();
      return Promise.resolve((answers / cpuOf(process.cpuUsage(before))) * 1e6);
    };
    const pooled = async (): Promise<number> => {
      const { cpuMicroseconds } = await drive({ callers: CALLERS, calls: answers }, () => signInPool(key));
      throughPool.push(cpuMicroseconds);
      return 1e6 / cpuMicroseconds;
    };
    const figures = await interleave(
      {
        baseline: rate(() => sign(null, BASE, key)),
        measured: rate(() => signer.headersFor(ANSWER, Date.now())),
        pooled,
      },
      { rounds, onTask: (name, round) => say(`round ${round}, ${name}`) },
    );
    const microseconds = 1e6 / median(figures.measured);
    return [
      {
        name: 'signing an answer',
        unit: 'answers/s of processor time',
        figure: median(figures.measured),
        baseline: median(figures.baseline),
        baselineName: 'crypto.sign alone, Ed25519 of as many bytes',
        ratio: pairedRatio(figures.measured, figures.baseline),
        aims: [atMost('microseconds', microseconds, 35, 'time')],
        details: {
          microseconds,
          'microseconds of the signature alone': 1e6 / median(figures.baseline),
          'through the thread pool': median(throughPool),
        },
      },
    ];
  },
};

function signInPool(key: Parameters<typeof sign>[2]): Promise<Buffer> {
  return new Promise((done, failed) => {
    sign(null, BASE, key, (error, signature) => (error ? failed(error) : done(signature)));
  });
}
