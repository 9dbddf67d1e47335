import autocannon from 'autocannon';

export interface LoadOrder {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in turn by each connection; none for GET. */
  readonly bodies: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly kind: 'done';
  readonly perSecond: number;
  /** Answers that were 2xx. */
  readonly answered: number;
  readonly p99Ms: number;
  /** Answers other than 2xx. */
  readonly refused: number;
  readonly errors: number;
}

/** How often autocannon looks whether its time is over; it would be once a second. */
const LOOKS_MS = 20;

async function carryOut({ url, method, headers, bodies, connections, seconds }: LoadOrder): Promise<LoadResult> {
  const requests = bodies.map((body) => ({ method, body }));
  const result = await autocannon({
    url,
    method,
    headers: { ...headers },
    connections,
    duration: seconds,
    sampleInt: LOOKS_MS,
    ...(requests.length > 0 ? { requests } : {}),
  });
  return {
    kind: 'done',
    perSecond: (result['2xx'] * 1000) / (result.finish.getTime() - result.start.getTime()),
    answered: result['2xx'],
    p99Ms: result.latency.p99,
    refused: result.non2xx,
    errors: result.errors,
  };
}

process.on('message', (order: LoadOrder) => {
  carryOut(order).then(
    (result) => process.send!(result),
    (error: unknown) => process.send!({ kind: 'failed', reason: String(error) }),
  );
});
