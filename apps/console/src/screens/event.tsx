import { type ReactNode, useMemo, useState } from 'react';

import { useQuery } from '@tanstack/react-query';

import type { AnswerOf, ItemOf, OperationName, RequestOf } from '#lib/client/browser';

import { read, useText } from '../lib/api.js';
import { valueAt } from '../lib/exact-json.js';
import { grouped } from '../lib/format.js';
import { addressOf, Link, pathTo } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Badge } from '../ui/badge.js';
import { Effects, LinkTo } from '../ui/effects.js';
import { Exact } from '../ui/exact.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { eventIdPath, eventPath, LogLink, streamPath } from '../ui/log-link.js';
import { Loading } from '../ui/notice.js';
import { Time } from '../ui/time.js';

type AuditEvent = AnswerOf<'GET /audit/event/{event_id}'>;
type Parts = Readonly<Record<string, string>>;

/** An event by its id. Whoever may read its stream sees its signed text too. */
export function EventById({ parts: { event_id: id = '' } }: { readonly parts: Parts }): ReactNode {
  const session = useSession();
  const [text, event] = useExact('GET /audit/event/{event_id}', { path: { event_id: id } });
  const isAuditor = hasRole(session, 'auditor', 'admin');
  return (
    <>
      {event.data === undefined ? <PageHead title="Event" /> : null}
      {event.error !== null && !isAuditor ? (
        <p>You can read events that you caused, and those of your own jobs. All others are for auditors.</p>
      ) : null}
      <Loading of={event}>
        {(found) =>
          isAuditor ? (
            <EventAt stream={found.stream} revision={found.revision} />
          ) : (
            <Shown event={found} data={valueAt(text ?? '', '/data') ?? '{}'} canonical={undefined} />
          )
        }
      </Loading>
    </>
  );
}

/** The event of a stream at a revision. */
export function EventAtRevision({ parts: { stream = '', revision = '' } }: { readonly parts: Parts }): ReactNode {
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(revision))
    return (
      <>
        <PageHead title="Event" />
        <p>A revision is a number from 0 on.</p>
      </>
    );
  return <EventAt key={`${stream} ${revision}`} stream={stream} revision={Number(revision)} />;
}

function EventAt({ stream, revision }: { readonly stream: string; readonly revision: number }): ReactNode {
  // Not in the URL: each look at what a person said is recorded, and nobody records one by opening a link.
  const [isUnredacted, setUnredacted] = useState(false);
  const query = {
    form: 'stored',
    limit: 1,
    from_revision: revision,
    ...(isUnredacted ? { unredacted: true } : {}),
  } as const;
  const [text, page] = useExact('GET /audit/streams/{stream}', { path: { stream }, query }, isUnredacted);
  const [event] = page.data?.items ?? [];
  return (
    <>
      {event ? null : <PageHead title="Event" />}
      <Loading of={page}>
        {({ next_cursor: more }) =>
          event ? (
            <Shown
              event={event}
              data={valueAt(text ?? '', '/items/0/data') ?? '{}'}
              canonical={(event as { readonly canonical?: string }).canonical}
              hasNext={more !== null}
              unredact={() => setUnredacted(true)}
            />
          ) : (
            <p>
              <Link to={streamPath(stream)}>
                <bdi>{stream}</bdi>
              </Link>{' '}
              has no event of revision {revision} yet.
            </p>
          )
        }
      </Loading>
    </>
  );
}

/** An answer as its text, in which digits are what they are, and what it says. */
function useExact<O extends OperationName>(operation: O, request: RequestOf<O>, isRecorded = false) {
  const answer = useText(operation, request, { isRecorded });
  const { data: sent } = answer;
  const data = useMemo(() => (sent === undefined ? undefined : (JSON.parse(sent) as AnswerOf<O>)), [sent]);
  return [answer.data, { data, error: answer.error, refetch: answer.refetch }] as const;
}

interface ShownProps {
  readonly event: AuditEvent | ItemOf<'GET /audit/streams/{stream}'>;
  /** Of the answer, byte for byte. */
  readonly data: string;
  readonly canonical: string | undefined;
  readonly hasNext?: boolean;
  /** Shows what a person said, on record. */
  readonly unredact?: () => void;
}

function Shown({ event, data, canonical, hasNext = false, unredact }: ShownProps): ReactNode {
  const { stream, revision, event_id: id } = event;
  const isAuditor = hasRole(useSession(), 'auditor', 'admin');
  return (
    <>
      <PageHead title={event.type}>
        <span className="buttons">
          {isAuditor && revision > 0 ? <Link to={eventPath(stream, revision - 1)}>Before</Link> : null}
          {hasNext ? <Link to={eventPath(stream, revision + 1)}>Next</Link> : null}
        </span>
      </PageHead>
      <Facts
        of={{
          Stream: (
            <LogLink to={streamPath(stream)}>
              <bdi>{stream}</bdi>
            </LogLink>
          ),
          Revision: grouped(revision),
          'Position in the log': grouped(event.position),
          'Event id': <code>{id}</code>,
          Recorded: (
            <>
              <Time at={event.recorded_at} />{' '}
              {event.recorded_at_is === 'signed' ? (
                <Badge state="signed" tone="good" />
              ) : (
                <Badge state="not signed, as the store noted it" tone="warn" />
              )}
            </>
          ),
          'Seeded time': (
            <>
              <code>{event.timestamp_seeded}</code>{' '}
              <small>follows from the seed; no time at which anything happened</small>
            </>
          ),
          By: (
            <>
              <bdi>{event.actor.id}</bdi> as {event.actor.role}
            </>
          ),
          Signed: (
            <>
              for <bdi>{event.signed_by}</bdi> with key <code>{event.kid}</code>
            </>
          ),
          Hash: <code>{event.hash}</code>,
          'Hash of the one before': <code>{event.prev_hash}</code>,
          Form: `version ${event.schema_version}`,
        }}
      />
      <Section title="What it belongs to">
        <Facts
          of={{
            Job:
              event.job_id === null ? null : (
                <Link to={pathTo('/jobs/:job_id', { job_id: event.job_id })}>
                  <code>{event.job_id}</code>
                </Link>
              ),
            Trace: <code>{event.trace_id}</code>,
            Seed: <code>{event.job_seed}</code>,
          }}
        />
      </Section>
      <Causation of={event} isAuditor={isAuditor} />
      <div className="sides">
        <Section
          title={event.redacted ? 'What it says, redacted' : 'What it says'}
          actions={
            event.redacted && unredact ? (
              <button type="button" onClick={unredact}>
                Show what was said, on record
              </button>
            ) : null
          }
        >
          <Exact text={data} name={`${id}-data.json`} />
        </Section>
        {canonical === undefined ? null : (
          <Section title="Canonical text, as it was signed">
            <Exact text={canonical} name={`${id}.json`} raw />
          </Section>
        )}
      </div>
      {isAuditor ? <Proof id={id} /> : null}
    </>
  );
}

/** Causes that are followed back at most. */
const MOST_CAUSES = 10;

/** What led to an event, what else came of its cause, and what came of it: as a list in lists, each a link. */
function Causation({ of, isAuditor }: { readonly of: ShownProps['event']; readonly isAuditor: boolean }): ReactNode {
  const { event_id: id, causation_id: cause, type } = of;
  const first = { path: { event_id: cause ?? '' } };
  const causes = useQuery({
    queryKey: ['GET /audit/event/{event_id}', 'causes', first],
    queryFn: async ({ signal }) => {
      const found: AuditEvent[] = [];
      for (let at = cause; at !== null && found.length < MOST_CAUSES;) {
        const { body }: { readonly body: AuditEvent } = await read(
          'GET /audit/event/{event_id}',
          { path: { event_id: at } },
          signal,
        );
        found.unshift(body);
        at = body.causation_id;
      }
      return found;
    },
    enabled: cause !== null,
    staleTime: Infinity,
  });
  const own = (
    <li key={id}>
      <strong aria-current="true">
        <code>{type}</code>
      </strong>{' '}
      <small>this event{cause === null ? ', which began by itself' : ''}</small>
      {isAuditor ? <Effects of={of} /> : null}
    </li>
  );
  return (
    <Section title="Cause and effects">
      {cause === null ? (
        <ul className="tree">{own}</ul>
      ) : (
        <Loading of={causes}>
          {(found) => (
            <ul className="tree">
              {found[0]?.causation_id ? (
                <li>
                  <Link to={eventIdPath(found[0].causation_id)}>What led to that</Link>
                </li>
              ) : null}
              {found.map((one, i) => (
                <li key={one.event_id}>
                  <LinkTo of={one} />
                  {i < found.length - 1 ? null : isAuditor ? (
                    <Effects of={one} own={own} />
                  ) : (
                    <ul className="tree">{own}</ul>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loading>
      )}
    </Section>
  );
}

/** That an event is in the signed tree, on demand. */
function Proof({ id }: { readonly id: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const answer = useText('GET /audit/proof/{event_id}', { path: { event_id: id } }, { enabled: isOpen });
  return (
    <Section title="Proof">
      {isOpen ? (
        <Loading of={answer}>
          {(text) => {
            const proof = JSON.parse(text) as AnswerOf<'GET /audit/proof/{event_id}'>;
            return (
              <>
                <Facts
                  of={{
                    Leaf: `${grouped(proof.leaf_index)} of the tree of ${grouped(proof.checkpoint.size)}`,
                    'Hash of the leaf': <code>{proof.leaf_hash}</code>,
                    'Path to the root': `${proof.inclusion.length} hashes`,
                    Root: <code>{proof.checkpoint.root}</code>,
                    Checkpoint: (
                      <>
                        <bdi>{proof.checkpoint.origin}</bdi> <Time at={proof.checkpoint.made_at} />
                      </>
                    ),
                  }}
                />
                <details>
                  <summary>The proof, as the interface gives it</summary>
                  <Exact text={text} name={`${id}-proof.json`} />
                </details>
                <p>
                  <a href={addressOf('/verify')}>The verifier page</a> checks bundles of jobs in this browser, without
                  asking anybody.
                </p>
              </>
            );
          }}
        </Loading>
      ) : (
        <p>
          <button type="button" onClick={() => setOpen(true)}>
            Prove that it is in the log
          </button>
        </p>
      )}
    </Section>
  );
}
