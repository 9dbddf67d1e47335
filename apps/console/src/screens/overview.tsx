import type { ReactNode } from 'react';

import { useList, useRead } from '../lib/api.js';
import { counted, durationText, grouped, words } from '../lib/format.js';
import { Link, pathTo } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Badge } from '../ui/badge.js';
import { PageHead, Section } from '../ui/facts.js';
import { FirstFaults } from '../ui/log-link.js';
import { Loading, Notice, ReadError } from '../ui/notice.js';
import { Ago, Time } from '../ui/time.js';
import { Rates } from './rates.js';

const EVERY = 5_000;

/** The verdict first: is the log sound, are projections current, what is open. */
export function Overview(): ReactNode {
  const session = useSession();
  const isOperator = hasRole(session, 'operator', 'auditor', 'admin');
  const isAuditor = hasRole(session, 'auditor', 'admin');
  return (
    <>
      <PageHead title="Overview" />
      {isAuditor ? <Damage /> : null}
      <Readiness />
      <div className="cards">
        {isAuditor ? <LogCard /> : null}
        {isAuditor ? <CheckpointCard /> : null}
        {hasRole(session, 'operator', 'admin') ? <ProjectionsCard /> : null}
        {isOperator ? <OpenCards /> : null}
        <DecisionsCard />
      </div>
      {isOperator ? <Rates /> : null}
      <LatestJobs />
    </>
  );
}

/** Where more is shown of a part that is not as it should be. */
const WAYS: Readonly<Record<string, string>> = { projections: '/projections', incidents: '/incidents' };

function Readiness(): ReactNode {
  const isOperator = hasRole(useSession(), 'operator');
  const { data, error, refetch } = useRead('GET /health/ready', {}, { every: EVERY });
  return (
    // What it said before it failed says nothing of now.
    <Loading of={{ data: error ? undefined : data, error, refetch }}>
      {(answer) => {
        const degraded = 'degraded' in answer ? (answer.degraded ?? []) : [];
        return (
          <div className={`notice ${degraded.length > 0 ? 'warn' : 'good'}`} role="status">
            <p className="verdict">
              {degraded.length > 0 ? 'Requests are served, with less than everything.' : 'Requests are served.'}
            </p>
            {degraded.map(({ part, reason }) => (
              <p key={part + reason}>
                <strong>{isOperator && WAYS[part] ? <Link to={WAYS[part]}>{words(part)}</Link> : words(part)}</strong>:{' '}
                {reason}
              </p>
            ))}
          </div>
        );
      }}
    </Loading>
  );
}

function Card({
  title,
  to,
  children,
}: {
  readonly title: string;
  readonly to?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="card" aria-label={title}>
      <h2>{to === undefined ? title : <Link to={to}>{title}</Link>}</h2>
      {children}
    </section>
  );
}

const useLastWalk = () => useRead('GET /integrity/verifications', { query: { limit: 1 } }, { every: EVERY });

/** What the last walk found, before everything else. */
function Damage(): ReactNode {
  const [walk] = useLastWalk().data?.items ?? [];
  if (!walk || walk.faults === 0) return null;
  return (
    <Notice tone="bad">
      <p className="verdict">
        The log is damaged:{' '}
        <Link to={pathTo('/integrity/:id', { id: walk.verification_id })}>{counted(walk.faults, 'fault')}</Link>
      </p>
      <FirstFaults of={walk.found} />
    </Notice>
  );
}

function LogCard(): ReactNode {
  const walks = useLastWalk();
  return (
    <Card title="Is the log sound?" to="/integrity">
      <Loading of={walks}>
        {({ items: [walk] }) =>
          !walk ? (
            <p>Nobody has checked it yet.</p>
          ) : walk.state === 'running' ? (
            <p>
              <Badge state="running" /> {grouped(walk.processed)} of {grouped(walk.total ?? 0)} events
            </p>
          ) : (
            <>
              <p className="big">
                {walk.sound === null ? 'Unknown' : walk.sound ? 'Sound' : `${grouped(walk.faults)} faults`}
              </p>
              <Badge state={walk.sound ? 'sound' : walk.sound === false ? 'damaged' : walk.state} />
              <small>
                {walk.ended_at === null ? null : <Ago at={walk.ended_at} />}, at position {walk.position}
              </small>
            </>
          )
        }
      </Loading>
    </Card>
  );
}

function CheckpointCard(): ReactNode {
  const proof = useRead('GET /audit/checkpoint', {}, { every: EVERY });
  return (
    <Card title="Last checkpoint" to="/integrity">
      <Loading of={proof}>
        {({ checkpoint, state }) => (
          <>
            <p className="big">{grouped(checkpoint.size)} events</p>
            <small>{checkpoint.made_at ? <Time at={checkpoint.made_at} /> : null}</small>
            {state.problem === null ? null : <p className="notice bad">{state.problem}</p>}
            <p>
              {state.witness === null ? (
                'No witness is named.'
              ) : (
                <>
                  Witness <bdi>{state.witness.name}</bdi>: {grouped(state.witness.cosigned_size ?? 0)} events
                  {state.witness.problem === null ? '' : `; ${state.witness.problem}`}
                </>
              )}
            </p>
          </>
        )}
      </Loading>
    </Card>
  );
}

function ProjectionsCard(): ReactNode {
  const projections = useRead('GET /projections', { query: { limit: 200 } }, { every: EVERY });
  return (
    <Card title="Are projections current?" to="/projections">
      <Loading of={projections}>
        {({ items }) => {
          const behind = items.filter(({ state, standby }) => state !== 'live' && !standby);
          const parked = items.reduce((sum, one) => sum + one.parked, 0);
          const lag = items.reduce((most, one) => Math.max(most, one.lag.seconds ?? 0), 0);
          return (
            <>
              <p className="big">{behind.length === 0 ? 'Current' : `${behind.length} behind`}</p>
              <p>
                {items.length} projections, at most {durationText(lag * 1000)} behind
              </p>
              {behind.map(({ name, state }) => (
                <p key={name}>
                  <Link to={pathTo('/projections/:name', { name })}>{name}</Link> <Badge state={state} />
                </p>
              ))}
              {parked === 0 ? null : <p className="notice warn">{grouped(parked)} parked events</p>}
            </>
          );
        }}
      </Loading>
    </Card>
  );
}

/** @param more whether there are more than were counted */
function Count({ of, more }: { readonly of: number; readonly more: boolean }): ReactNode {
  return (
    <p className="big">
      {grouped(of)}
      {more ? '+' : ''}
    </p>
  );
}

function OpenCards(): ReactNode {
  const incidents = useRead('GET /incidents', { query: { status: 'open', limit: 100 } }, { every: EVERY });
  const halts = useRead('GET /replay/halts', { query: { status: 'halted', limit: 100 } }, { every: EVERY });
  const missing = useRead('GET /jobs/unreplayable', { query: { limit: 1 } }, { every: EVERY });
  return (
    <>
      <Card title="Open incidents" to="/incidents">
        <Loading of={incidents}>
          {({ items, next_cursor: more }) => (
            <>
              <Count of={items.length} more={more !== null} />
              {items.slice(0, 3).map(({ incident_id: id, severity, cause, opened_at: at }) => (
                <p key={id}>
                  <Badge state={severity} /> <code>{cause.type}</code>{' '}
                  <small>{at === null ? null : <Ago at={at} />}</small>
                </p>
              ))}
            </>
          )}
        </Loading>
      </Card>
      <Card title="Halted snapshots" to="/missing">
        <Loading of={halts}>
          {({ items, next_cursor: more }) => <Count of={items.length} more={more !== null} />}
        </Loading>
      </Card>
      <Card title="Jobs that cannot be replayed" to="/missing">
        <Loading of={missing}>
          {({ counts, at_least: atLeast }) => (
            <>
              <Count of={Object.values(counts).reduce((sum, count) => sum + count, 0)} more={atLeast.length > 0} />
              {Object.entries(counts).map(([what, count]) =>
                count === 0 ? null : (
                  <p key={what}>
                    {what.replace('_', ' ')}: {grouped(count)}
                  </p>
                ),
              )}
            </>
          )}
        </Loading>
      </Card>
    </>
  );
}

function DecisionsCard(): ReactNode {
  const requests = useRead('GET /actionrequest', { query: { status: 'pending', limit: 100 } }, { every: EVERY });
  return (
    <Card title="Requests to decide" to="/decisions">
      <Loading of={requests}>
        {({ items, next_cursor: more }) => <Count of={items.length} more={more !== null} />}
      </Loading>
    </Card>
  );
}

function LatestJobs(): ReactNode {
  const jobs = useList('GET /jobs', { query: { limit: 10 } }, { every: EVERY });
  return (
    <Section title="Latest jobs" actions={<Link to="/jobs">All jobs</Link>}>
      <ReadError error={jobs.error} retry={jobs.refetch} />
      <ul className="plain">
        {(jobs.data ?? []).map(({ job_id: id, status, agent_id: agent, created_at: at, error_code: code }) => (
          <li key={id}>
            <Badge state={status} />{' '}
            <Link to={`/jobs/${encodeURIComponent(id)}`}>
              <code>{id.slice(0, 12)}</code>
            </Link>{' '}
            <bdi>{agent}</bdi> {code === null ? null : <code>{code}</code>} <Time at={at} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
