import { setImmediate as nextTurn } from 'node:timers/promises';

import { type CommandContext, personOf, provenanceOf } from '#lib/access';
import { emptyHead, type EventLog, type StreamHead, VersionConflictError } from '#lib/event-store';
import type { Policies, Snapshot, SnapshotKind, Snapshots, SnapshotSet } from '#lib/governance';
import {
  developerMessage,
  type DomainEvent,
  type ErrorCode,
  type JsonObject,
  MaceError,
  refuseOtherBody,
  sha256Hex,
} from '#lib/kernel';
import { principalNormalForm } from '#lib/memory';
import {
  type ExcludedCandidate,
  type RouteTrace,
  routeStage0,
  type RouterConstants,
  type ScoredCandidate,
  type Stage0Route,
} from '#lib/routing';
import { loadSnapshotModules } from '#lib/selfrep';

import { jobEvent } from './domain/jobs.events.js';
import { routeDecided, type RouteDecided } from './domain/routes.events.js';
import { classifyOwn, decideRoute } from './engine/routing.js';
import { type QueryScreen, screenQuery } from './query-screen.js';
import { snapshotInput, type SnapshotInput } from './snapshot-input.js';

export interface RouteRequest {
  readonly query_text: string;
  readonly user_id?: string | undefined;
  readonly context_tags?: Readonly<Record<string, string>> | undefined;
}

/** What POST /router/decide answers; the trace names the snapshots that it was decided on. */
export interface DecidedRoute {
  readonly agent_id: string;
  readonly route_reason: string;
  readonly depth: number;
  readonly token_budget: number;
  readonly route_trace: RouteTrace & { readonly snapshots: Readonly<Record<string, string>> };
}

export interface PreviewRequest {
  readonly queries: readonly string[];
  /** A change of the router policy, as it would be proposed; the policy in force where absent. */
  readonly change?: JsonObject | undefined;
}

/** Where one query would go, with the scores and what kept others out, best first. */
export interface PreviewedRoute {
  readonly intent_tags: readonly string[];
  readonly agent_id: string | null;
  readonly node_id: string | null;
  readonly route_reason: string | null;
  readonly depth: number;
  readonly error_code: ErrorCode | null;
  readonly candidates: readonly Pick<ScoredCandidate, 'node_id' | 'final_score' | 'eligible'>[];
  readonly excluded: readonly Pick<ExcludedCandidate, 'node_id' | 'reason'>[];
}

export interface RoutesPreview {
  /** Whether by a change that is not in force. */
  readonly proposed: boolean;
  /** Those in force; a change is one of the router's. */
  readonly snapshots: Readonly<Record<string, string>>;
  /** In the order of the queries, whose words are not repeated. */
  readonly routes: readonly PreviewedRoute[];
}

/** What a decision is, besides who asked for it and when. */
type Decided = Omit<RouteDecided, 'user_id' | 'asked_for' | 'decided_at'> & { readonly intent_tags: readonly string[] };

/** What a decision of Stage-1 is made of; a job pins more. */
const DECISIVE = ['router', 'brainstate', 'selfrep'] as const satisfies readonly SnapshotKind[];

/**
 * Where a query goes, for whoever only asks. Each decision is recorded with its scores in a stream of its own, so that
 * the same request gets the same answer (spec/decisions.md, "Routing"; seed 001, Router section 7).
 */
export class Routes {
  constructor(
    private readonly log: EventLog,
    private readonly snapshots: Pick<Snapshots, 'load' | 'loadFresh' | 'halts'>,
    /** Those in force. */
    private readonly current: SnapshotSet,
    private readonly screen: QueryScreen,
    private readonly policies: Pick<Policies, 'preview'>,
  ) {}

  /**
   * By the seed's nine rules, as they stand; an absent user_id means no user, never the token's.
   * @throws MaceError INVALID_INPUT, PRIVACY_BLOCKED, ROUTER_NO_MATCH, IDEMPOTENCY_KEY_REUSED
   */
  async route(ctx: CommandContext, request: RouteRequest): Promise<Stage0Route> {
    this.checkLength(request.query_text);
    const { router } = this.current;
    const decided = await this.once(ctx, request, () => {
      const { stage0 } = router.body as unknown as RouterConstants;
      const { findings, query_text } = this.screened(request, ctx, stage0.enable_privacy);
      const routed = routeStage0(request, stage0, () => findings.length > 0);
      const place = 'error_code' in routed ? NOWHERE : { ...routed, error_code: null };
      const error_code = 'error_code' in routed ? routed.error_code : null;
      return {
        stage: 0,
        ...place,
        token_budget: null,
        error_code,
        pii_findings: findings,
        route_trace: null,
        snapshots: { router: router.snapshot_id },
        query_hash: sha256Hex(query_text),
        intent_tags: [],
      };
    });
    return decided as unknown as Stage0Route;
  }

  /**
   * As the asking person's next job would be routed.
   * @throws MaceError INVALID_INPUT, PERMISSION_DENIED for another's query, PRIVACY_BLOCKED, ROUTER_NO_SNAPSHOT,
   * ROUTER_NO_MATCH, IDEMPOTENCY_KEY_REUSED; IntegrityError
   */
  async decide(ctx: CommandContext, request: RouteRequest): Promise<DecidedRoute> {
    const { user_id } = request;
    if (user_id !== undefined && principalNormalForm(user_id) !== personOf(ctx.principal)) {
      throw new MaceError('PERMISSION_DENIED', 'user_id: one asks where one’s own query would go; leave it out');
    }
    this.checkLength(request.query_text);
    return (await this.once(ctx, request, () => this.decided(ctx, request))) as unknown as DecidedRoute;
  }

  /**
   * As the next jobs of whoever asks would be routed, in this order; nothing is recorded.
   * @throws MaceError INVALID_INPUT, ROUTER_NO_SNAPSHOT; IntegrityError
   */
  async preview(ctx: CommandContext, { queries, change }: PreviewRequest): Promise<RoutesPreview> {
    for (const query of queries) this.checkLength(query);
    const set = await this.stored();
    if (!set) throw new MaceError('ROUTER_NO_SNAPSHOT', REFUSED.ROUTER_NO_SNAPSHOT!);
    const router = change && ((await this.policies.preview('router', change)).body as unknown as RouterConstants);
    const input = { ...snapshotInput(set), ...(router ? { router } : {}) };
    const routes: PreviewedRoute[] = [];
    for (const query_text of queries) {
      routes.push(this.previewed(ctx, query_text, input));
      await nextTurn();
    }
    return { proposed: change !== undefined, snapshots: decisiveIds(set), routes };
  }

  private previewed(ctx: CommandContext, query_text: string, input: SnapshotInput): PreviewedRoute {
    const nowhere = { agent_id: null, node_id: null, route_reason: null, depth: 0 };
    if (this.screened({ query_text }, ctx, true).findings.length > 0)
      return { intent_tags: [], ...nowhere, error_code: 'PRIVACY_BLOCKED', candidates: [], excluded: [] };
    const classification = classifyOwn(query_text, input.router);
    const result = decideRoute(input, classification, []);
    const { intent_tags } = classification;
    const { candidates, excluded } = result.route_trace;
    const trace = {
      candidates: candidates.map(({ node_id, final_score, eligible }) => ({ node_id, final_score, eligible })),
      excluded: excluded.map(({ node_id, reason }) => ({ node_id, reason })),
    };
    if ('error_code' in result) return { intent_tags, ...nowhere, error_code: result.error_code, ...trace };
    const { agent_id, node_id, route_reason, depth } = result;
    return { intent_tags, agent_id, node_id, route_reason, depth, error_code: null, ...trace };
  }

  private async decided(ctx: CommandContext, request: RouteRequest): Promise<Decided> {
    const { findings, query_text } = this.screened(request, ctx, true);
    const blank = { stage: 1, pii_findings: findings, query_hash: sha256Hex(query_text), snapshots: {} } as const;
    if (findings.length > 0) {
      return { ...blank, ...NOWHERE, error_code: 'PRIVACY_BLOCKED', route_trace: null, intent_tags: [] };
    }
    const set = await this.stored();
    if (!set) return { ...blank, ...NOWHERE, error_code: 'ROUTER_NO_SNAPSHOT', route_trace: null, intent_tags: [] };
    const input = snapshotInput(set);
    const classification = classifyOwn(query_text, input.router);
    const result = decideRoute(input, classification, []);
    const { intent_tags } = classification;
    const traced = {
      ...blank,
      snapshots: decisiveIds(set),
      route_trace: result.route_trace as unknown as JsonObject,
      intent_tags,
    };
    if ('error_code' in result) return { ...traced, ...NOWHERE, error_code: result.error_code };
    const { agent_id, route_reason, depth, token_budget } = result;
    return { ...traced, agent_id, route_reason, depth, token_budget, error_code: null };
  }

  /** The snapshots in force as they are stored, verified; null where one of them is missing. */
  private async stored(): Promise<SnapshotSet | null> {
    const set = { ...this.current };
    const found = await Promise.all(DECISIVE.map((kind) => this.snapshots.loadFresh(set[kind].snapshot_id)));
    if (found.includes(null)) return null;
    await this.snapshots.halts.refuse(DECISIVE.map((kind) => set[kind].snapshot_id));
    try {
      await loadSnapshotModules(set.selfrep, (id): Promise<Snapshot> => this.snapshots.load(id));
    } catch (error) {
      if (error instanceof MaceError && error.code === 'MISSING_SNAPSHOT') return null;
      throw error;
    }
    return set;
  }

  private screened({ query_text, context_tags = {} }: RouteRequest, ctx: CommandContext, isOn: boolean) {
    const screened = screenQuery(this.screen, query_text, context_tags, ctx.seed);
    return isOn ? screened : { findings: [], query_text: screened.query_text };
  }

  private checkLength(queryText: string): void {
    const { max_query_length: limit } = this.current.governance.body as unknown as { max_query_length: number };
    if (queryText.length <= limit) return;
    throw new MaceError('INVALID_INPUT', `query_text has ${queryText.length} characters; at most ${limit}`);
  }

  /** The recorded answer of this very request, or a new one; what was refused before is decided anew. */
  private async once(
    ctx: CommandContext,
    request: RouteRequest,
    decide: () => Promise<Decided> | Decided,
  ): Promise<Partial<DecidedRoute>> {
    const stream = `route-${sha256Hex(ctx.seed).slice(0, 32)}`;
    for (;;) {
      const { head, events } = ctx.keyed
        ? await this.log.load(stream, { personal: 'stored' })
        : { head: emptyHead(stream), events: [] };
      if (events[0]) refuseOtherBody(events[0].metadata.request_digest, ctx);
      const before = events.map(({ data }) => data as unknown as RouteDecided).find(({ agent_id }) => agent_id);
      if (before) return answerOf(before);
      const { intent_tags, ...decided } = await decide();
      const recorded: RouteDecided = {
        ...decided,
        user_id: personOf(ctx.principal),
        asked_for: request.user_id ?? null,
        decided_at: new Date(ctx.now).toISOString(),
      };
      // A refusal is recorded once, however often the same request comes.
      const repeated = events.length > 0 && recorded.error_code !== null;
      if (repeated || (await this.record(ctx, head, recorded, intent_tags))) return answerOf(recorded);
    }
  }

  /** False where the same request was recorded meanwhile. */
  private async record(
    ctx: CommandContext,
    head: StreamHead,
    decided: RouteDecided,
    intent_tags: readonly string[],
  ): Promise<boolean> {
    const events: DomainEvent[] = [routeDecided(decided)];
    if (isMiss(decided)) {
      const { user_id, query_hash } = decided;
      events.push(jobEvent('router_miss', { iteration: 0, user_id, intent_tags, query_hash }));
    }
    try {
      await this.log.append(head, events, provenanceOf(ctx, head.version));
      return true;
    } catch (error) {
      if (error instanceof VersionConflictError) return false;
      throw error;
    }
  }
}

function decisiveIds(set: SnapshotSet): Readonly<Record<string, string>> {
  return Object.fromEntries(DECISIVE.map((kind) => [kind, set[kind].snapshot_id]));
}

const NOWHERE = { agent_id: null, route_reason: null, depth: 0, token_budget: null } as const;

const REFUSED: Partial<Record<ErrorCode, string>> = {
  PRIVACY_BLOCKED: developerMessage('PRIVACY_BLOCKED', 'not_routed', {}),
  ROUTER_NO_MATCH: developerMessage('ROUTER_NO_MATCH', 'none_serves_query', {}),
  ROUTER_NO_SNAPSHOT: developerMessage('ROUTER_NO_SNAPSHOT', 'not_stored', {}),
};

function isMiss({ error_code, route_reason }: RouteDecided): boolean {
  return error_code === 'ROUTER_NO_MATCH' || route_reason === 'fallback' || route_reason === 'fallback_generic';
}

/** @throws MaceError where the query was sent nowhere */
function answerOf(decided: RouteDecided): Partial<DecidedRoute> {
  const { agent_id, route_reason, depth, token_budget, route_trace, snapshots, error_code } = decided;
  if (error_code !== null) throw new MaceError(error_code, REFUSED[error_code] ?? 'the query was sent nowhere');
  const place = { agent_id: agent_id!, route_reason: route_reason!, depth };
  if (decided.stage === 0) return place;
  const trace = { ...(route_trace as unknown as RouteTrace), snapshots };
  return { ...place, token_budget: token_budget!, route_trace: trace };
}
