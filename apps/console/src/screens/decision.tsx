import type { ReactNode } from 'react';

import type { AnswerOf, ItemOf } from '#lib/client/browser';

import { useList, useRead } from '../lib/api.js';
import { grouped, words } from '../lib/format.js';
import { mayDecide } from '../lib/may-decide.js';
import { Link } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Action } from '../ui/action.js';
import { Badge } from '../ui/badge.js';
import { Exact } from '../ui/exact.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { memberOf, TextField } from '../ui/field.js';
import { Long } from '../ui/long.js';
import { Empty, Loading, Notice } from '../ui/notice.js';
import { type Column, List, Table } from '../ui/table.js';
import { Time, Until } from '../ui/time.js';
import { Propose } from './decisions.js';

export { Decisions } from './decisions.js';

type Request = AnswerOf<'GET /actionrequest/{id}'>;
type Vote = Request['votes'][number];
/** As docs/rest.md describes it; the description of the interface leaves its members open. */
interface Emergency {
  readonly signatures: readonly { readonly signer: string; readonly role: string }[];
  readonly review: {
    readonly due_at: string;
    readonly outcome: string | null;
    readonly votes: Readonly<Record<string, Vote['vote']>>;
  } | null;
}

const EVERY_MS = 3_000;

/** One request: what is asked, what was said, who decides until when, and what came of it. */
export function Decision({ parts }: { readonly parts: Readonly<Record<string, string>> }): ReactNode {
  const id = parts['request_id']!;
  const request = useRead('GET /actionrequest/{id}', { path: { id } }, { every: EVERY_MS });
  const { data } = request;
  return (
    <>
      <PageHead title={data ? words(data.kind) : `Request ${id.slice(0, 11)}`}>
        {data ? <Badge state={data.status} /> : null}
        {data ? <Doors of={data} /> : null}
      </PageHead>
      <Loading of={request}>
        {(found) => (
          <>
            <p className="said" dir="auto">
              <Long text={textIn(found.justification)} />
            </p>
            <Facts
              of={{
                Request: <code>{found.request_id}</code>,
                'Asked by': (
                  <>
                    <bdi>{found.requested_by}</bdi> <small>{found.origin}</small>
                  </>
                ),
                Asked: <Time at={found.created_at} />,
                Until:
                  found.status === 'pending' ? (
                    <>
                      <Time at={found.due_at} /> <Until at={found.due_at} />
                    </>
                  ) : undefined,
                Risk: words(found.risk_class),
                Event: (
                  <Link to={`/events/${found.event_id}`}>
                    <code>{found.event_id.slice(0, 12)}</code>
                  </Link>
                ),
                'Digest that votes sign': <code>{found.proposal_digest}</code>,
              }}
            />
            <Section title="What exactly">
              <Exact text={JSON.stringify(found.payload)} name={`${found.request_id}.payload.json`} />
              <Evidence of={found.evidence} />
            </Section>
            <Votes of={found} />
            <AnEmergency of={found} />
            {found.under_review ? <UnderReview of={found.under_review} /> : null}
            {found.decision ? (
              <Section title="Decision">
                <Exact text={JSON.stringify(found.decision)} name={`${found.request_id}.decision.json`} />
              </Section>
            ) : null}
            {found.execution ? (
              <Section title="What was done">
                <Exact text={JSON.stringify(found.execution)} name={`${found.request_id}.execution.json`} />
              </Section>
            ) : null}
          </>
        )}
      </Loading>
      <Events id={id} />
    </>
  );
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function Evidence({ of }: { readonly of: unknown }): ReactNode {
  const lines = Array.isArray(of) ? (of as readonly unknown[]).map(textIn) : of === null ? [] : [textIn(of)];
  if (lines.length === 0) return <p className="faint">No evidence was named.</p>;
  return (
    <ul>
      {lines.map((line, i) => (
        <li key={i} dir="auto">
          {line}
        </li>
      ))}
    </ul>
  );
}

const VOTES: readonly Column<Vote>[] = [
  {
    title: 'Voter',
    cell: ({ voter, event_id: id }) => (
      <Link to={`/events/${id}`}>
        <bdi>{voter}</bdi>
      </Link>
    ),
  },
  {
    title: 'Vote',
    cell: ({ vote }) => <Badge state={vote} tone={vote === 'approve' ? 'good' : vote === 'reject' ? 'bad' : 'plain'} />,
  },
  { title: 'Reason', cell: ({ reason }) => (reason === null ? null : <span dir="auto">{textIn(reason)}</span>) },
  { title: 'About', cell: ({ phase }) => words(phase), wide: true },
  { title: 'When', cell: ({ voted_at: at }) => <Time at={at} /> },
];

function Votes({ of }: { readonly of: Request }): ReactNode {
  const { council_quorum: quorum, required_approval_type: type, votes } = of;
  const review = (of.emergency as unknown as Emergency | null)?.review;
  const inReview = Object.values(review?.votes ?? {});
  const count = (vote: Vote['vote']): number => inReview.filter((one) => one === vote).length;
  const tally = review ? { approve: count('approve'), reject: count('reject'), abstain: count('abstain') } : of.tally;
  const needed = type === 'admin_single' ? 1 : quorum;
  return (
    <Section title="Votes">
      <p>
        {type === 'admin_single'
          ? 'One admin decides.'
          : `${review ? 'The review is over' : 'Decided'} with ${needed} counted votes of the council.`}{' '}
        {tally.approve} yes, {tally.reject} no, {tally.abstain} abstained.
      </p>
      <div className="tally" role="img" aria-label={`${tally.approve + tally.reject} of ${needed} votes`}>
        {Array.from({ length: Math.max(needed, tally.approve + tally.reject) }, (_, i) => (
          <span key={i} className={i < tally.approve ? 'good' : i < tally.approve + tally.reject ? 'bad' : ''} />
        ))}
      </div>
      {votes.length === 0 ? (
        <Empty>Nobody has voted yet.</Empty>
      ) : (
        <Table label="Votes" items={votes} columns={VOTES} keyOf={({ event_id: id }) => id} />
      )}
    </Section>
  );
}

function AnEmergency({ of }: { readonly of: Request }): ReactNode {
  if (of.emergency === null) return null;
  const { signatures, review } = of.emergency as unknown as Emergency;
  return (
    <Section title="Emergency">
      <Notice tone="warn">
        {signatures.map(({ signer, role }) => (
          <p key={signer}>
            Signed by <bdi>{signer}</bdi> as {role}
          </p>
        ))}
        {review === null ? (
          <p>One more signature, of another admin, carries it out.</p>
        ) : review.outcome === null ? (
          <p>
            Carried out. The council reviews it until <Time at={review.due_at} />: its members vote as on a request.
          </p>
        ) : (
          <p>
            Carried out; the review came to <Badge state={review.outcome} />
          </p>
        )}
      </Notice>
    </Section>
  );
}

function UnderReview({ of }: { readonly of: NonNullable<Request['under_review']> }): ReactNode {
  return (
    <Section title="What is to be reviewed">
      <Facts
        of={{
          Job: (
            <Link to={`/jobs/${encodeURIComponent(of.job_id)}`}>
              <code>{of.job_id}</code>
            </Link>
          ),
          Question: <span dir="auto">{of.question}</span>,
          Answer: of.final_answer === null ? null : <span dir="auto">{of.final_answer}</span>,
          'The owner says': of.comment === null ? undefined : <span dir="auto">{of.comment}</span>,
        }}
      />
      <Table
        label="Answers"
        items={of.answers}
        keyOf={({ event_id: event }) => event}
        columns={[
          {
            title: 'Agent',
            cell: ({ event_id: event, agent_id: agent }) => (
              <Link to={`/events/${event}`}>
                <bdi>{agent}</bdi>
              </Link>
            ),
          },
          {
            title: 'Answer',
            cell: ({ text }) => (
              <span dir="auto">
                <Long text={text} />
              </span>
            ),
          },
          { title: 'Confidence', cell: ({ confidence }) => confidence, numeric: true },
        ]}
      />
      <Table
        label="Votes of the critics"
        items={of.votes}
        keyOf={({ event_id: event }) => event}
        columns={[
          { title: 'Critic', cell: ({ council_agent_id: critic }) => <bdi>{critic}</bdi> },
          {
            title: 'Vote',
            cell: ({ approve }) => <Badge state={approve ? 'yes' : 'no'} tone={approve ? 'good' : 'bad'} />,
          },
          { title: 'Note', cell: ({ note }) => <span dir="auto">{note}</span> },
          { title: 'Suggested', cell: ({ suggested_changes: text }) => <span dir="auto">{text}</span>, wide: true },
        ]}
      />
    </Section>
  );
}

/** What whoever looks may say: a vote, or one of the two signatures of an emergency. */
function Doors({ of }: { readonly of: Request }): ReactNode {
  const session = useSession();
  const { request_id: id, proposal_digest: digest, status, votes } = of;
  const emergency = of.emergency as unknown as Emergency | null;
  const inReview = emergency?.review?.outcome === null;
  const phase = inReview ? 'review' : 'decision';
  const hasSigned = emergency?.signatures.some(({ signer }) => signer === session.user_id) ?? false;
  const hasVoted = votes.some((vote) => vote.voter === session.user_id && vote.phase === phase);
  const votesNow =
    (status === 'pending' || inReview) &&
    mayDecide(of, session.user_id, (role) => hasRole(session, role)) &&
    !hasVoted &&
    !(inReview && hasSigned);
  const byOne = of.required_approval_type === 'admin_single';
  const signs =
    status === 'pending' &&
    !byOne &&
    !hasSigned &&
    hasRole(session, (emergency?.signatures.length ?? 0) === 0 ? 'superadmin' : 'admin');
  if (!votesNow && !signs) {
    if (status !== 'pending') return null;
    return (
      <small>
        {hasVoted
          ? 'You have voted.'
          : hasSigned
            ? 'You have signed; another admin signs too.'
            : of.requested_by === session.user_id
              ? 'You asked for it: others decide.'
              : ''}
      </small>
    );
  }
  const voting = (vote: 'approve' | 'reject' | 'abstain') => (fields: FormData) => ({
    path: { id },
    body: { vote, proposal_digest: digest, ...memberOf(fields, 'reason') },
  });
  const about = (
    <p>
      Your vote signs the digest <code className="nowrap">{digest.slice(0, 16)}</code> of what this page shows. It
      counts once and cannot be taken back
      {byOne ? '; it decides.' : `; the request is decided with ${of.council_quorum} votes.`}
    </p>
  );
  return (
    <span className="buttons">
      {votesNow ? (
        <>
          <Action title="Approve" operation="POST /actionrequest/{id}/vote" request={voting('approve')}>
            {about}
            <TextField label="Reason" name="reason" most={4000} long optional />
          </Action>
          <Action title="Reject" danger operation="POST /actionrequest/{id}/vote" request={voting('reject')}>
            {about}
            <TextField label="Reason" name="reason" most={4000} long />
          </Action>
          {byOne ? null : (
            <Action title="Abstain" operation="POST /actionrequest/{id}/vote" request={voting('abstain')}>
              {about}
              <TextField label="Reason" name="reason" most={4000} long optional />
            </Action>
          )}
        </>
      ) : null}
      {signs ? (
        <Action
          title="Sign as an emergency"
          danger
          operation="POST /superadmin/override"
          request={(fields) => ({
            body: { request_id: id, proposal_digest: digest, ...memberOf(fields, 'reason') },
          })}
        >
          <p>
            One of two signatures, a superadmin’s and another admin’s, which stand in for the council.{' '}
            {emergency
              ? 'Yours is the second: the action is carried out at once.'
              : 'Nothing is done with yours alone.'}{' '}
            The council reviews it afterwards.
          </p>
          <TextField label="Why it cannot wait" name="reason" most={4000} long />
        </Action>
      ) : null}
    </span>
  );
}

type Event = ItemOf<'GET /governance/events/{id}'>;

const EVENTS: readonly Column<Event>[] = [
  {
    title: 'Event',
    cell: ({ event_id: id }) => (
      <Link to={`/events/${id}`}>
        <code className="nowrap">{id.slice(0, 12)}</code>
      </Link>
    ),
  },
  { title: 'Type', cell: ({ type }) => <code>{type}</code> },
  { title: 'Recorded', cell: ({ recorded_at: at }) => <Time at={at} /> },
  { title: 'Signed by', cell: ({ signed_by: signer }) => <bdi>{signer}</bdi>, wide: true },
  { title: 'Position', cell: ({ position }) => grouped(position), numeric: true, wide: true },
];

function Events({ id }: { readonly id: string }): ReactNode {
  const isOpen = hasRole(useSession(), 'council', 'operator', 'auditor', 'admin');
  const list = useList('GET /governance/events/{id}', { path: { id }, query: { limit: 50 } }, { enabled: isOpen });
  if (!isOpen) return null;
  return (
    <Section title="Events">
      <List
        label="Events, oldest first"
        list={list}
        columns={EVENTS}
        keyOf={({ event_id: event }) => event}
        empty={<Empty>Nothing was recorded of it.</Empty>}
      />
    </Section>
  );
}

/** What a policy says now, and every event that made it so. */
export function Policy({ parts }: { readonly parts: Readonly<Record<string, string>> }): ReactNode {
  const id = parts['policy']!;
  const history = useRead('GET /governance/events/{id}', { path: { id }, query: { limit: 1 } });
  return (
    <>
      <PageHead title={<>Policy {id}</>}>
        {hasRole(useSession(), 'council', 'admin') ? <Propose policy={id} /> : null}
      </PageHead>
      <Section title="In force">
        <Loading of={history}>
          {({ in_force: body }) =>
            body === null ? (
              <Empty>This policy is not in force.</Empty>
            ) : (
              <Exact text={JSON.stringify(body)} name={`${id}.json`} />
            )
          }
        </Loading>
      </Section>
      <Events id={id} />
    </>
  );
}
