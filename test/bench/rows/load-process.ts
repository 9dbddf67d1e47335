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
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers other than 2xx. */
  readonly refused: number;
  readonly errors: number;
}

const { url, method, headers, bodies, connections, seconds } = JSON.parse(process.argv[2]!) as LoadOrder;
const requests = bodies.map((body) => ({ method, body }));
const result = await autocannon({
  url,
  method,
  headers: { ...headers },
  connections,
  duration: seconds,
  ...(requests.length > 0 ? { requests } : {}),
});
process.send!({
  kind: 'done',
  perSecond: result['2xx'] / result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  refused: result.non2xx,
  errors: result.errors,
} satisfies LoadResult);
process.disconnect();
