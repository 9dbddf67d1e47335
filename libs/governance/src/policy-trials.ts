import {
  type AnswerCouncilPolicy,
  builtInCritics,
  type Candidate,
  type Checks,
  type CouncilVote,
  decideAnswer,
  examine,
  isElsewhere,
  type SafetyRules,
} from '#lib/council';
import { ED25519_KEY, isEd25519Key, type JsonObject, round9 } from '#lib/kernel';
import {
  BUILT_IN_MODULES,
  decide,
  ownIntentsFault,
  ROUTER_DEFAULTS,
  type RouterConstants,
  type RoutingModule,
} from '#lib/routing';

import { lockout } from './domain/policy.js';

/** With what trust every built-in module begins where no policy says otherwise. */
const BUILT_IN_APT = 0.7;
const INTENTS = [...new Set(BUILT_IN_MODULES.flatMap(({ capabilities }) => capabilities))].sort();

/** Answers as people get them every day, each as long as such an answer is. */
const ORDINARY_ANSWERS = ['7', '0.125', 'x = -2 or x = 2', 'Paris', 'Your favorite color is blue.'];
const SAFETY_DEFAULTS: SafetyRules = { max_answer_length: 16_000, max_note_length: 4_000, refused_phrases: [] };
const HOUSE: readonly string[] = builtInCritics().map(({ critic_id }) => critic_id);
const NOTHING_FOUND: Checks = { evidence_holds: [], recomputed: null, personal_data: [] };

/**
 * Tries a policy before it is accepted: why people could not decide, or be answered, any more under it; null where they
 * could. A pure function of the bodies, which their schemas have passed.
 * @param beside the other policies as they are in force: who is selected follows from router and selfrep together
 */
export function policyTrial(policy: string, body: JsonObject, beside: OtherPolicies = {}): string | null {
  return lockout(policy, body) ?? TRIALS[policy]?.(body, beside) ?? null;
}

/** What no schema can say of a policy's members, which have passed theirs: `/pointer: why`; null where all may be so. */
export function policyFault(policy: string, body: JsonObject): string | null {
  if (policy === 'governance') return seatsFault(body['answer_council'] as AnswerCouncilPolicy | undefined);
  return policy === 'router' ? ownIntentsFault({ ...ROUTER_DEFAULTS, ...(body as Partial<RouterConstants>) }) : null;
}

function seatsFault(council: AnswerCouncilPolicy | undefined): string | null {
  for (const [i, { outside, endpoint, prompt }] of (council?.critics ?? []).entries()) {
    const at = `/answer_council/critics/${i}`;
    const ways = [outside, endpoint, prompt].filter((way) => way !== undefined);
    if (ways.length > 1) return `${at}: at most one of outside, endpoint and prompt`;
    if (!endpoint) continue;
    const { url, public_key } = endpoint;
    if (!URL.canParse(url)) return `${at}/endpoint/url: an http or https URL`;
    if (public_key !== undefined && !isEd25519Key(public_key)) return `${at}/endpoint/public_key: ${ED25519_KEY}`;
  }
  return null;
}

/** Absent where it is that of the release. */
export type OtherPolicies = Readonly<Partial<Record<'router' | 'selfrep', JsonObject>>>;

/** Of the policies that are tried together, the other one. */
export const TRIED_BESIDE: Readonly<Record<string, keyof OtherPolicies>> = { router: 'selfrep', selfrep: 'router' };

const TRIALS: Readonly<Record<string, (body: JsonObject, beside: OtherPolicies) => string | null>> = {
  router(body, { selfrep }) {
    const { built_in_apt: begun = BUILT_IN_APT } = (selfrep ?? {}) as Partial<TrustNumbers>;
    // Degraded while it has fewer than two trust events.
    const unserved = unservedBy(builtIns(begun, false), body);
    if (unserved === '') return null;
    return `no built-in agent as it begins (trust ${begun}, degraded) could be selected for ${unserved}: lower min_score or min_availability, or raise weights and status factors`;
  },
  safety(body) {
    const rules = { ...SAFETY_DEFAULTS, ...(body as unknown as Partial<SafetyRules>) };
    const refused = ORDINARY_ANSWERS.map((text) => [text, faultOf(text, rules)] as const).find(
      ([, why]) => why !== null,
    );
    return refused ? `the answer ${JSON.stringify(refused[0])} would be refused: ${refused[1]}` : null;
  },
  selfrep(body, { router = {} }) {
    const { built_in_apt: begun, healthy_min_apt: healthy, min_trust_events: events } = body as Partial<TrustNumbers>;
    if (begun === undefined || healthy === undefined) return null;
    const atFirst = unservedBy(builtIns(begun, events === 0 && begun >= healthy), router);
    if (atFirst !== '')
      return `the built-in agents begin with trust ${begun} and would not be selected for ${atFirst}: raise built_in_apt`;
    const reached = trustOfTheBest(body as unknown as TrustNumbers);
    const inTheEnd = unservedBy(builtIns(reached, reached >= healthy), router);
    if (inTheEnd !== '')
      return `an agent whose every answer is approved would come to trust ${reached} and not be selected for ${inTheEnd}: lower decay or raise approval_gain`;
    return null;
  },
  governance({ answer_council: council, credential_threshold }) {
    if (council === undefined || typeof credential_threshold !== 'number') return null;
    return criticsFault(council as unknown as AnswerCouncilPolicy, credential_threshold);
  },
};

/** The numbers of config/selfrep.json that trust comes from. */
interface TrustNumbers {
  readonly built_in_apt: number;
  readonly decay: number;
  readonly approval_gain: number;
  readonly healthy_min_apt: number;
  readonly min_trust_events: number;
}

/** Where trust ends after approvals without end: apt = apt (1 - decay) + gain. */
function trustOfTheBest({ built_in_apt, decay, approval_gain: gain }: TrustNumbers): number {
  if (decay === 0) return gain === 0 ? built_in_apt : 1;
  return round9(Math.min(1, gain / decay));
}

/** The intents for which this router would select none of these; '' where it would for all. */
function unservedBy(modules: readonly RoutingModule[], router: JsonObject): string {
  const constants = { ...ROUTER_DEFAULTS, ...(router as unknown as Partial<RouterConstants>) };
  return INTENTS.filter((intent) => !isServed(constants, intent, modules)).join(', ');
}

function builtIns(apt: number, isHealthy: boolean): readonly RoutingModule[] {
  const status = isHealthy ? 'healthy' : 'degraded';
  return BUILT_IN_MODULES.map((module) => ({ ...module, apt, status, dependency_unhealthy: false }));
}

/** Every critic that can vote is content; whether outside ones will, their own processes decide. */
function criticsFault(council: AnswerCouncilPolicy, credential_threshold: number): string | null {
  const missing = council.critics.filter((seat) => !isElsewhere(seat) && !HOUSE.includes(seat.critic_id));
  if (missing.length === 0) return null;
  const votes = council.critics.filter((seat) => !missing.includes(seat)).map(({ critic_id }) => content(critic_id));
  const collected = { votes, unavailable: {}, collection_timeout_reached: false };
  if (decideAnswer(collected, council, { credential_threshold }).decision.outcome === 'approved') return null;
  const names = missing.map(({ critic_id }) => JSON.stringify(critic_id)).join(', ');
  return `answer_council asks ${names}, which nobody here votes as: no answer could be approved`;
}

function content(council_agent_id: string): CouncilVote {
  const scores = { factuality: 1, coherence: 1, safety: 1 };
  return { council_agent_id, scores, approve: true, suggested_changes: '', note: '', confidence: 1 };
}

/** Without goals and without a bias to explore: what a beginner can count on. */
function isServed(constants: RouterConstants, intent: string, modules: readonly RoutingModule[]): boolean {
  const decision = decide({
    classification: { intent_tags: [intent] },
    modules,
    attention: { attention_gain: 0.5, explore_bias: 0 },
    goals: [],
    budget: { token_budget: 2048, max_depth_allowed: 2 },
    constants,
    excluded: [],
    has_user: true,
  });
  return 'node_id' in decision && servesIntent(decision.node_id, intent);
}

function servesIntent(nodeId: string, intent: string): boolean {
  return BUILT_IN_MODULES.some((one) => one.node_id === nodeId && one.capabilities.some((each) => each === intent));
}

function faultOf(text: string, rules: SafetyRules): string | null {
  const candidate: Candidate = { query_text: 'an ordinary question', agent_id: '', text, confidence: 1, evidence: [] };
  const { coherence, safety } = examine(candidate, NOTHING_FOUND, rules);
  return [coherence, safety].find(({ score }) => score === 0)?.note ?? null;
}
