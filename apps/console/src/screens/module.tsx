import { type ReactNode, useMemo, useState } from 'react';

import type { AnswerOf } from '#lib/client/browser';

import { useRead } from '../lib/api.js';
import { grouped, words } from '../lib/format.js';
import { go, Link, pathTo, usePlace, withQuery } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { Chart } from '../ui/chart.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { memberOf, TextField, textOf } from '../ui/field.js';
import { Empty, Loading, Notice } from '../ui/notice.js';
import { type Column, Table } from '../ui/table.js';
import { Time } from '../ui/time.js';
import { toRequest } from './decisions.js';

type Found = AnswerOf<'GET /modules/{node_id}'>;
type Trust = AnswerOf<'GET /apt/{node_id}'>;
type Moved = Trust['history'][number];
type Recomputed = AnswerOf<'POST /apt/recompute'>;

const EVERY_MS = 5_000;
/** Of one page of what moved the trust. */
const MOST = 200;

/** One module: its health, what it may do, and its trust over time with each event that moved it. */
export function Module({ parts }: { readonly parts: Readonly<Record<string, string>> }): ReactNode {
  const id = parts['node_id']!;
  const found = useRead('GET /modules/{node_id}', { path: { node_id: id } }, { every: EVERY_MS });
  const [checked, setChecked] = useState<Recomputed | null>(null);
  return (
    <>
      <PageHead title={<bdi>{id}</bdi>}>
        {found.data ? <Badge state={found.data.status} /> : null}
        {found.data ? <Doors of={found.data} onChecked={setChecked} /> : null}
      </PageHead>
      {checked ? (
        <Notice tone={checked.equal ? 'good' : 'bad'}>
          <p>
            Computed anew from {grouped(checked.outcomes)} outcomes in its stream: {checked.recomputed_apt};{' '}
            {checked.equal ? 'the same as what is stored.' : `${checked.apt} is stored.`} {checked.first_difference}
          </p>
        </Notice>
      ) : null}
      <Loading of={found}>{(module) => <About of={module} />}</Loading>
      <TrustOverTime id={id} />
    </>
  );
}

const nameIn = (one: unknown): string =>
  typeof one === 'string' ? one : typeof one === 'object' && one && 'to' in one ? String(one.to) : JSON.stringify(one);

function Modules({ of }: { readonly of: readonly unknown[] }): ReactNode {
  return (
    <>
      {of.map(nameIn).map((name) => (
        <span key={name}>
          <Link to={pathTo('/modules/:node_id', { node_id: name })}>
            <bdi>{name}</bdi>
          </Link>{' '}
        </span>
      ))}
    </>
  );
}

function listOf(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.join(', ') : 'none named';
}

function About({ of }: { readonly of: Found }): ReactNode {
  const { metrics, policy, registration } = of;
  return (
    <Facts
      of={{
        Name: <span dir="auto">{of.display_name}</span>,
        Type: `${words(of.type)}, version ${of.version}`,
        Agent: <bdi>{of.agent_id}</bdi>,
        Health: of.status_reason,
        'Can be called': of.callable ? 'yes' : `no: ${of.not_callable_reason ?? 'nothing says why'}`,
        Trust: of.apt,
        Calls: grouped(metrics.total_calls),
        'Failures in a row': grouped(metrics.consecutive_failures),
        Capabilities: listOf(of.capabilities),
        'Allowed actions': listOf(policy['allowed_actions']),
        'Forbidden actions': listOf(policy['forbidden_actions']),
        'Depends on': of.dependencies.length === 0 ? 'nothing' : <Modules of={of.dependencies} />,
        'Not healthy among these':
          of.unhealthy_dependencies.length === 0 ? undefined : <Modules of={of.unhealthy_dependencies} />,
        Registered: (
          <>
            <Time at={registration.registered_at} /> by <bdi>{registration.registered_by}</bdi>
          </>
        ),
        Changed: <Time at={of.last_updated} />,
      }}
    />
  );
}

function Doors({
  of: { node_id: id, status },
  onChecked,
}: {
  readonly of: Found;
  readonly onChecked: (result: Recomputed) => void;
}): ReactNode {
  if (!hasRole(useSession(), 'admin')) return null;
  return (
    <span className="buttons">
      {status === 'offline' ? (
        <Action
          title="Restore"
          operation="POST /modules/{node_id}/restore"
          request={(fields) => ({ path: { node_id: id }, body: memberOf(fields, 'reason') })}
        >
          <p>
            <bdi>{id}</bdi> is taken back into service, degraded, and is asked again from the next job on.
          </p>
          <TextField label="Reason" name="reason" hint="its dependency is back" optional />
        </Action>
      ) : null}
      {status === 'quarantined' ? (
        <Action
          title="Ask for its release"
          operation="POST /actionrequest/create"
          request={(fields) => ({
            body: {
              kind: 'module_release',
              payload: { action: 'module_release', node_id: id },
              justification: textOf(fields, 'justification'),
            },
          })}
          onDone={toRequest}
        >
          <p>
            The council is asked to let <bdi>{id}</bdi> out of quarantine. Once it approves, an admin restores the
            module.
          </p>
          <TextField label="Justification, for the council" name="justification" most={4_000} long />
        </Action>
      ) : (
        <Action
          title="Quarantine"
          danger
          operation="POST /module/quarantine"
          request={(fields) => ({ body: { node_id: id, reason: textOf(fields, 'reason') } })}
          onDone={toRequest}
        >
          <p>
            The council is asked to quarantine <bdi>{id}</bdi>. Until it decides the module goes on; then you see the
            request.
          </p>
          <TextField label="Reason" name="reason" hint="it gave harmful answers" />
        </Action>
      )}
      <Action
        title="Compute the trust anew"
        operation="POST /apt/recompute"
        request={() => ({ body: { node_id: id } })}
        onDone={onChecked}
      >
        <p>From the module’s own stream, compared with what is stored. It changes nothing.</p>
      </Action>
    </span>
  );
}

const COLUMNS: readonly Column<Moved>[] = [
  {
    title: 'Event',
    cell: ({ event_id: id, event_type: type }) => (
      <Link to={`/events/${id}`} title={id}>
        <code>{type}</code>
      </Link>
    ),
  },
  {
    title: 'Recorded',
    cell: ({ recorded_at: at, recorded_at_is: is }) => (
      <>
        <Time at={at} /> {is === 'unsigned' ? <small>unsigned</small> : null}
      </>
    ),
  },
  { title: 'Before', cell: ({ apt_before: before }) => before, numeric: true },
  { title: 'After', cell: ({ apt_after: after }) => after, numeric: true },
  {
    title: 'Moved',
    cell: ({ apt_before: before, apt_after: after }) => (after === before ? 'not' : after > before ? '▲ up' : '▼ down'),
  },
];

function TrustOverTime({ id }: { readonly id: string }): ReactNode {
  const place = usePlace();
  const cursor = place.query.get('cursor') ?? undefined;
  const trust = useRead(
    'GET /apt/{node_id}',
    { path: { node_id: id }, query: { limit: MOST, ...(cursor === undefined ? {} : { cursor }) } },
    cursor === undefined ? { every: EVERY_MS } : {},
  );
  const step = (to: string | undefined): void => go(withQuery(place, { cursor: to }));
  return (
    <Section title="Trust over time">
      <Loading of={trust}>
        {({ history, trust_events: count, next_cursor: next }) =>
          history.length === 0 ? (
            <Empty>Nothing has moved its trust yet: jobs, decisions of the council and feedback do.</Empty>
          ) : (
            <>
              <p>
                {grouped(count)} events have moved it; {cursor === undefined ? 'the newest' : 'older ones'},{' '}
                {grouped(history.length)} of them, are shown.
              </p>
              <TrustChart of={history} />
              <Table
                label="What moved its trust, newest first"
                items={history}
                columns={COLUMNS}
                keyOf={({ event_id: event }) => event}
              />
              <p className="buttons">
                {cursor === undefined ? null : (
                  <button type="button" onClick={() => step(undefined)}>
                    Newest
                  </button>
                )}
                {next === null ? null : (
                  <button type="button" onClick={() => step(next)}>
                    Older
                  </button>
                )}
              </p>
            </>
          )
        }
      </Loading>
    </Section>
  );
}

/** The trust after each event, oldest first; before the first of them it was as that one says. */
function TrustChart({ of }: { readonly of: readonly Moved[] }): ReactNode {
  const { x, y } = useMemo(() => {
    const rising = of.toReversed();
    const times = rising.map(({ recorded_at: at }) => Date.parse(at) / 1_000);
    return {
      x: [times[0]!, ...times],
      y: [rising[0]!.apt_before, ...rising.map(({ apt_after: after }) => after)],
    };
  }, [of]);
  return (
    <Chart
      label={`Trust over time, from ${y[0]} to ${y.at(-1)}; the table below has the same values`}
      x={x}
      xLabel="UTC"
      isTime
      isStepped
      lines={[{ label: 'Trust', values: y }]}
      range={[0, 1.05]}
      height={220}
    />
  );
}
