import { type ReactNode, useMemo } from 'react';

import type { AnswerOf } from '#lib/client/browser';

import { useRead } from '../lib/api.js';
import { durationText, words } from '../lib/format.js';
import { save } from '../lib/save.js';
import { go, Link, usePlace, withQuery } from '../lib/router.js';
import { hasRole, useSession } from '../lib/session.js';
import { Badge } from '../ui/badge.js';
import { Exact } from '../ui/exact.js';
import { Facts, PageHead, Section } from '../ui/facts.js';
import { Empty, Loading, Notice } from '../ui/notice.js';
import { type Column, Table } from '../ui/table.js';
import { Time, useNow } from '../ui/time.js';
import { Outcome } from './negotiations.js';

export { Negotiations } from './negotiations.js';

type Found = AnswerOf<'GET /negotiations/{artifact_id}'>;
type Vote = Found['votes'][number];
interface LateVote {
  readonly vote: Vote;
  readonly received_at: string;
}
/** As docs/rest.md describes it; the description of the interface leaves its members open. */
interface Decided {
  readonly outcome: string;
  readonly escalation_reason: string | null;
  readonly reason: string;
  readonly late_votes?: readonly LateVote[];
  readonly aggregated_score: Readonly<Record<string, number>> | null;
  readonly votes_received: number;
  readonly votes_expected: number;
  readonly quorum_threshold: number;
  readonly quorum_met: boolean;
  readonly collection_timeout_reached: boolean;
  readonly unavailable_critics: readonly string[];
  readonly decided_at: string;
}

const EVERY_MS = 1_000;

/** One negotiation: its clock, the votes as they come, and what was decided for which reason. */
export function Negotiation({ parts }: { readonly parts: Readonly<Record<string, string>> }): ReactNode {
  const id = parts['artifact_id']!;
  const place = usePlace();
  const session = useSession();
  const isWhole = place.query.get('unredacted') === 'true';
  const found = useRead(
    'GET /negotiations/{artifact_id}',
    { path: { artifact_id: id }, query: isWhole ? { unredacted: true } : {} },
    isWhole ? { isRecorded: true } : { every: EVERY_MS },
  );
  return (
    <>
      <PageHead title={<bdi>{id}</bdi>}>
        {found.data ? <Badge state={found.data.status} tone={found.data.status === 'open' ? 'busy' : 'plain'} /> : null}
        {found.data?.redacted && hasRole(session, 'auditor', 'admin') ? (
          <button type="button" onClick={() => go(withQuery(place, { unredacted: 'true' }))}>
            Show what was said, on record
          </button>
        ) : null}
      </PageHead>
      <Loading of={found}>
        {(negotiation) => (
          <>
            {negotiation.decision ? (
              <Decision of={negotiation.decision as unknown as Decided} />
            ) : (
              <Clock of={negotiation} />
            )}
            <About of={negotiation} />
            <Votes of={negotiation} />
            <Escalation of={negotiation} />
            {negotiation.artifact === null ? null : <Artifact of={negotiation} text={negotiation.artifact} />}
            <Section title="Policy it was taken under">
              <Exact text={JSON.stringify(negotiation.policy)} name={`${id}.policy.json`} />
            </Section>
          </>
        )}
      </Loading>
    </>
  );
}

/** How much of the window is left. It closes early with the last vote. */
function Clock({ of }: { readonly of: Found }): ReactNode {
  const now = useNow(1_000);
  const [from, to] = [
    Date.parse(of.escalation?.opened_at ?? of.received_at),
    Date.parse(of.escalation?.due_at ?? of.due_at),
  ];
  const left = Math.max(0, to - now);
  const waiting = (of.escalation?.critics ?? of.requested_critics).length - of.votes.length;
  return (
    <Section title="Window">
      <p>
        <strong>{left === 0 ? 'It is over; the decision follows.' : `${durationText(left)} left`}</strong>, until{' '}
        <Time at={new Date(to).toISOString()} />; {of.votes.length} voted
        {waiting > 0 ? `, ${waiting} still to come` : ''}, {of.quorum_threshold} make the quorum.
      </p>
      <progress
        className="clock"
        aria-label="How much of the window has passed"
        max={to - from}
        value={Math.min(to - from, now - from)}
      />
    </Section>
  );
}

function Decision({ of }: { readonly of: Decided }): ReactNode {
  const late = of.late_votes ?? [];
  const score = of.aggregated_score;
  return (
    <Section title="Decision">
      <Notice tone={of.outcome === 'APPROVED' ? 'good' : 'warn'}>
        <p className="verdict">
          <Outcome of={of.outcome} /> <span dir="auto">{of.reason}</span>
        </p>
        {of.escalation_reason === null ? null : (
          <p>
            People decide, since: {words(of.escalation_reason)}.{' '}
            <Link to="/decisions?kind=hitl">Decisions to take</Link>
          </p>
        )}
      </Notice>
      <Facts
        of={{
          Decided: <Time at={of.decided_at} />,
          Quorum: `${of.votes_received} of ${of.votes_expected} voted, ${of.quorum_threshold} needed: ${of.quorum_met ? 'met' : 'not met'}`,
          Window: of.collection_timeout_reached ? 'ran until its end' : 'closed early, with the last vote that counted',
          'Gave no vote':
            of.unavailable_critics.length === 0 ? 'nobody' : <bdi>{of.unavailable_critics.join(', ')}</bdi>,
          ...(score
            ? {
                'Mean of the scores': `${score['mean']}, weighted by confidence ${score['weighted_mean']}`,
                'Lowest and highest': `${score['min_score']} and ${score['max_score']}`,
                'Standard deviation': score['std_dev'],
              }
            : {}),
        }}
      />
      {late.length === 0 ? null : (
        <>
          <h3>Late votes, which count for nothing</h3>
          <Table
            label="Late votes"
            items={late}
            keyOf={({ vote, received_at: at }) => vote.critic_id + at}
            columns={[
              { title: 'Critic', cell: ({ vote }) => <bdi>{vote.critic_id}</bdi> },
              { title: 'Score', cell: ({ vote }) => vote.score, numeric: true },
              { title: 'Passes', cell: ({ vote }) => <Passes of={vote} /> },
              { title: 'Received', cell: ({ received_at: at }) => <Time at={at} /> },
            ]}
          />
        </>
      )}
    </Section>
  );
}

function About({ of }: { readonly of: Found }): ReactNode {
  const { rule, on_failure: failure } = of.quorum_policy as { readonly rule?: unknown; readonly on_failure?: unknown };
  return (
    <Facts
      of={{
        Type: <span dir="auto">{`${of.artifact_type} ${of.artifact_content_type}`}</span>,
        Room: <bdi>{of.negotiation_room_id}</bdi>,
        Producer: <bdi>{of.producer_id}</bdi>,
        'Critics asked': <bdi>{of.requested_critics.join(', ')}</bdi>,
        'Quorum rule': `${JSON.stringify(rule)}; without it ${String(failure)}`,
        Received: <Time at={of.received_at} />,
        Digest: <code>{of.artifact_ref}</code>,
      }}
    />
  );
}

function Passes({ of }: { readonly of: Vote }): ReactNode {
  return <Badge state={of.passed ? 'yes' : 'no'} tone={of.passed ? 'good' : 'bad'} />;
}

function Said({ of }: { readonly of: readonly string[] }): ReactNode {
  return (
    <>
      {of.map((text, i) => (
        <p key={i} dir="auto">
          {text}
        </p>
      ))}
    </>
  );
}

const WORDS: readonly Column<Vote>[] = [
  { title: 'Strengths', cell: ({ strengths }) => <Said of={strengths} />, wide: true },
  { title: 'Weaknesses', cell: ({ weaknesses }) => <Said of={weaknesses} />, wide: true },
  { title: 'Recommends', cell: ({ recommendations }) => <Said of={recommendations} /> },
];

const VOTES: readonly Column<Vote>[] = [
  { title: 'Critic', cell: ({ critic_id: critic }) => <bdi>{critic}</bdi> },
  { title: 'Passes', cell: (vote) => <Passes of={vote} /> },
  { title: 'Score', cell: ({ score }) => score, numeric: true },
  { title: 'Confidence', cell: ({ confidence }) => confidence, numeric: true },
  { title: 'When', cell: ({ voted_at: at }) => <Time at={at} /> },
];

function Votes({ of: { votes, redacted } }: { readonly of: Found }): ReactNode {
  return (
    <Section title="Votes">
      {redacted ? <p className="faint">What the critics said is left out.</p> : null}
      <div aria-live="polite">
        {votes.length === 0 ? (
          <Empty>Nobody has voted yet; votes show here as they come.</Empty>
        ) : (
          <Table
            label="Votes"
            items={votes}
            columns={redacted ? VOTES : [...VOTES, ...WORDS]}
            keyOf={({ critic_id: critic }) => critic}
          />
        )}
      </div>
    </Section>
  );
}

function Escalation({ of: { escalation, ruling } }: { readonly of: Found }): ReactNode {
  if (escalation === null && ruling === null) return null;
  return (
    <Section title="Escalation">
      <Facts
        of={{
          'Senior critics asked': escalation ? <bdi>{escalation.critics.join(', ')}</bdi> : undefined,
          Asked: escalation ? <Time at={escalation.opened_at} /> : undefined,
          'Their window ends': escalation ? <Time at={escalation.due_at} /> : undefined,
          'Why they were asked': escalation?.before.reason,
          'People ruled': ruling ? <Time at={ruling.ruled_at} /> : undefined,
          Ruling: ruling ? words(ruling.action ?? 'none') : undefined,
          Rationale: ruling?.rationale ? <span dir="auto">{ruling.rationale}</span> : undefined,
        }}
      />
    </Section>
  );
}

/** What is shown of an artifact before somebody saves it. */
const SHOWN = 10_000;

function Artifact({ of, text }: { readonly of: Found; readonly text: string }): ReactNode {
  const bytes = useMemo(() => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)), [text]);
  const isText = /^text\/|json|xml|yaml/.test(of.artifact_content_type);
  return (
    <Section title="Artifact">
      {isText ? (
        <pre dir="auto" tabIndex={0} aria-label="Artifact" className="wrap">
          {new TextDecoder().decode(bytes.subarray(0, SHOWN))}
          {bytes.length > SHOWN ? ' …' : ''}
        </pre>
      ) : (
        <p>It is no text.</p>
      )}
      <p>
        <button type="button" onClick={() => save(of.artifact_id, bytes, of.artifact_content_type)}>
          Download {bytes.length} bytes
        </button>
      </p>
    </Section>
  );
}
