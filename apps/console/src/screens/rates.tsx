import type { ReactNode } from 'react';

import { useRead } from '../lib/api.js';
import { durationText, grouped } from '../lib/format.js';
import { Link, usePlace, withQuery } from '../lib/router.js';
import { Chart } from '../ui/chart.js';
import { Section } from '../ui/facts.js';
import { Empty, Loading } from '../ui/notice.js';
import { Table } from '../ui/table.js';
import { Time } from '../ui/time.js';

/** What a chart spans, and the step of one of its points in seconds: 60 points of each. */
const SPANS = { hour: 60, '5 hours': 300, '60 hours': 3600, '60 days': 86_400 } as const;
type Span = keyof typeof SPANS;

/** Jobs, failures and durations over time; the span is in the URL. */
export function Rates(): ReactNode {
  const place = usePlace();
  const asked = place.query.get('span') ?? '';
  const span: Span = Object.hasOwn(SPANS, asked) ? (asked as Span) : 'hour';
  const counts = useRead('GET /jobs/counts', { query: { step: SPANS[span] } }, { every: 10_000 });
  const choices = (
    <span className="buttons">
      {Object.keys(SPANS).map((name) => (
        <Link key={name} to={withQuery(place, { span: name })} aria-current={name === span ? 'true' : undefined}>
          {name}
        </Link>
      ))}
    </span>
  );
  return (
    <Section title="Jobs over time" actions={choices}>
      <Loading of={counts}>
        {({ counts: steps }) => {
          if (steps.every(({ begun, completed, failed, blocked }) => begun + completed + failed + blocked === 0))
            return <Empty>No job began or ended in this time.</Empty>;
          const x = steps.map(({ time }) => Date.parse(time) / 1000);
          const failures = failuresIn(steps);
          return (
            <>
              <Chart
                label={`Jobs begun and failed, one point for ${durationText(SPANS[span] * 1000)}`}
                x={x}
                xLabel="Time"
                isTime
                isStepped
                lines={[
                  { label: 'begun', values: steps.map(({ begun }) => begun) },
                  { label: 'completed', values: steps.map(({ completed }) => completed) },
                  { label: 'failed', values: steps.map(({ failed }) => failed) },
                ]}
              />
              <Chart
                label="Milliseconds from request to end"
                x={x}
                xLabel="Time"
                isTime
                lines={[
                  { label: 'median, ms', values: steps.map(({ duration_ms: took }) => took?.median ?? null) },
                  { label: '95th percentile, ms', values: steps.map(({ duration_ms: took }) => took?.p95 ?? null) },
                ]}
              />
              {failures.length === 0 ? null : (
                <Table
                  label="Failures by code"
                  items={failures}
                  keyOf={([code]) => code}
                  columns={[
                    {
                      title: 'Error',
                      cell: ([code]) =>
                        code === UNKNOWN ? (
                          code
                        ) : (
                          <Link to={`/jobs?error_code=${encodeURIComponent(code)}`}>{code}</Link>
                        ),
                    },
                    { title: 'Jobs', cell: ([, jobs]) => grouped(jobs), numeric: true },
                  ]}
                />
              )}
              <details>
                <summary>The same as a table</summary>
                <Table
                  label="Jobs over time"
                  items={steps.filter(({ begun, completed, failed }) => begun + completed + failed > 0)}
                  keyOf={({ time }) => time}
                  columns={[
                    { title: 'From', cell: ({ time }) => <Time at={time} /> },
                    { title: 'Begun', cell: ({ begun }) => grouped(begun), numeric: true },
                    { title: 'Completed', cell: ({ completed }) => grouped(completed), numeric: true },
                    { title: 'Failed', cell: ({ failed }) => grouped(failed), numeric: true },
                    {
                      title: 'Median',
                      cell: ({ duration_ms: took }) => (took === null ? '' : durationText(took.median)),
                      numeric: true,
                    },
                  ]}
                />
              </details>
            </>
          );
        }}
      </Loading>
    </Section>
  );
}

const UNKNOWN = 'unknown';

interface Errors {
  readonly errors: readonly { readonly error_code: string | null; readonly jobs: number }[];
}

/** Codes with their jobs, the most frequent first. */
function failuresIn(steps: readonly Errors[]): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const { errors } of steps)
    for (const { error_code: code, jobs } of errors) sums.set(code ?? UNKNOWN, (sums.get(code ?? UNKNOWN) ?? 0) + jobs);
  return [...sums].sort(([, a], [, b]) => b - a);
}
