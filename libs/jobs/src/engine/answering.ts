import { sha256Hex } from '#lib/kernel';
import { intentOf, type QueryClassification, type RouterDecision } from '#lib/routing';

import type { Ending, Job, Steps } from './job.js';
import { judge } from './judging.js';
import { placeOf } from './place.js';
import { classifyOwn, decideRoute, tooLittleTrusted } from './routing.js';
import { takeTurn, wasAsked } from './turn.js';
import { writeAsked } from './writing.js';

/** Routes, asks, has the answer judged, and goes on without an agent that failed, a bounded number of times. */
export function* answerQuery(job: Job): Steps<Ending> {
  const { accepted, limits, router, taken } = job.input;
  const classification = taken?.classification ?? classifyOwn(accepted.query_text, router);
  job.recorder.record('QCP_CLASSIFIED', classification);
  job.intentTags = classification.intent_tags;
  for (let iteration = 1; iteration <= limits.max_iterations; iteration++) {
    const decision = route(job, classification, iteration);
    if (!decision) return unmatched(job, classification, 'none_serves');
    const ending = yield* turnsOf(job, decision, iteration);
    if (ending) return ending;
    job.excluded.push(decision.node_id);
  }
  return unmatched(job, classification, 'all_tried');
}

/** Nobody is left: told as the one who was asked first, with the first reason that an agent gave for not answering. */
function unmatched(job: Job, classification: QueryClassification, why: 'none_serves' | 'all_tried'): Ending {
  const { declined, firstDecision } = job;
  if (firstDecision) job.decision = firstDecision;
  const unasked = tooLittleTrusted(job.input, job.firstTrace);
  if (unasked) return job.failed(job.error('ROUTER_NO_MATCH', 'too_little_trust', unasked));
  if (wantsEngine(job, classification)) return job.failed(job.error('LLM_SERVICE_DOWN', 'none_configured', {}));
  return job.failed(
    declined ? job.error('ROUTER_NO_MATCH', 'declined', declined) : job.error('ROUTER_NO_MATCH', why, {}),
  );
}

/** Whether a module would serve what the query asks for, if only it had its language engine. */
function wantsEngine({ input }: Job, classification: QueryClassification): boolean {
  const intent = intentOf(classification);
  return input.modules.some(
    ({ not_callable, capabilities }) => not_callable === 'no_language_engine' && capabilities.includes(intent),
  );
}

function route(job: Job, classification: QueryClassification, iteration: number): RouterDecision | null {
  const { accepted } = job.input;
  const result = decideRoute(job.input, classification, job.excluded);
  const query_hash = sha256Hex(accepted.query_text);
  const chosen = 'error_code' in result ? null : result;
  const record = job.recorder.record('ROUTER_DECISION', {
    iteration,
    user_id: accepted.user_id,
    agent_id: chosen?.agent_id ?? null,
    node_id: chosen?.node_id ?? null,
    route_reason: chosen?.route_reason ?? null,
    depth: chosen?.depth ?? 0,
    token_budget: chosen?.token_budget ?? 0,
    excluded: [...job.excluded].sort(),
    route_trace: result.route_trace,
    query_hash,
  });
  job.iterations.push({ iteration, router_event: record.event_id, agent_id: chosen?.agent_id ?? null });
  if (!chosen || chosen.route_reason === 'fallback_generic') {
    const { intent_tags } = classification;
    job.recorder.record('router_miss', { iteration, user_id: accepted.user_id, intent_tags, query_hash });
  }
  if (chosen) job.decision = chosen;
  job.firstDecision ??= chosen;
  job.firstTrace ??= result.route_trace;
  return chosen;
}

/**
 * One agent's turns, repairs included; null where the router must look for another. As bounded as the repairs are,
 * whatever the results are.
 */
function* turnsOf(job: Job, decision: RouterDecision, iteration: number): Steps<Ending | null> {
  let suggestions: readonly string[] = [];
  for (let turn = 1; turn <= job.input.limits.max_repair_loops + 1; turn++) {
    const attempt = job.repairs + 1;
    const result = yield* takeTurn(job, decision, { iteration, attempt, suggestions });
    switch (result.kind) {
      case 'declined':
        job.declined ??= { agent_id: decision.agent_id, reason: result.reason };
        return null;
      case 'timeout':
      case 'exception':
      case 'violation':
        return null;
      case 'miss':
        return missed(job, decision, result.key);
      case 'unavailable':
        if (wasAsked(job, result)) return null;
        return job.failed(job.error('LLM_SERVICE_DOWN', 'unavailable', { reason: result.reason }));
      case 'answer': {
        const written = yield* writeAsked(job, placeOf(decision, iteration, attempt), result);
        if (written.kind === 'violation') return null;
        if (written.kind === 'failed') return written.ending;
        const verdict = yield* judge(job, decision, result, iteration);
        if ('ending' in verdict) return verdict.ending;
        suggestions = verdict.suggestions;
      }
    }
  }
  return null;
}

/** Whose misses are of the world, and not of a person: nobody else may know better what somebody told MACE of themselves. */
const OF_THE_WORLD = 'knowledge_agent';

/** How the job ends; null where the router looks for another, which the policy may allow for knowledge of the world. */
function missed(job: Job, { agent_id }: RouterDecision, key: string): Ending | null {
  const { query_id, user_id } = job.input.accepted;
  job.recorder.record('sem_miss', { query_id, user_id, key });
  const error = job.error('SEM_NOT_FOUND', 'missing', { key });
  if (job.input.router.ask_engine_on_miss !== true || agent_id !== OF_THE_WORLD) return job.failed(error);
  job.missed = true;
  // What fails from here on is a later failure.
  job.notices.push(error);
  return null;
}
