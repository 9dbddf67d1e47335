import { isMath } from './math-intent.js';
import type { QueryText } from './query-text.js';

/** What a query asks for. Modules list the intents they serve among their capabilities. */
export type Intent =
  'command' | 'verification' | 'creative' | 'math' | 'strategy' | 'profile' | 'search' | 'fact' | 'general';

const WORKS =
  '(?:poems?|poetry|haikus?|sonnets?|limericks?|ballads?|verses?|rhymes?|stor(?:y|ies)|tales?|fairy ?tales?|songs?|lyrics|raps?|slogans?|taglines?|ad copy|jokes?|riddles?|puns?|screenplays?|novels?|essays?|blog posts?|captions?|speech(?:es)?|toasts?|dialogues?)';
const PLANS = '(?:plans?|roadmaps?|strateg(?:y|ies)|itinerar(?:y|ies))';

const COMMAND =
  /^(?:set|save|store|remember|forget|create|delete|erase|schedule|send|open|remind|cancel|book|update|note (?:that|down|this|to self)|make a note|take a note|keep in mind|don't forget|do not forget|add .{1,80} to (?:my|the)|remove .{1,80} from (?:my|the))\b/;
/** Words of COMMAND that begin something else: "set theory", "open source", "remember when we met". */
const NO_COMMAND =
  /^(?:set (?:theory|notation|of|in stone|[a-z] ?=)|sets?$|open (?:source|sourced|ai|air|office|ended|problems?|questions?|letters?|relationships?)\b|open-|remember (?:when|how|the time|the alamo)\b|schedule (?:of|for)\b|book (?:of|about|by|recommendations?|reviews?|clubs?)\b|update (?:on|about)\b|save (?:money|energy|time)\b|create(?:d|s)\b)/;
const MAKING = new RegExp(`^create\\b.{0,60}\\b(?:${WORKS}|${PLANS})\\b`);

const VERIFICATION =
  /^(?:verify|double[- ]?check|fact[- ]?check|is it true|confirm (?:that|whether|if)|check (?:that|whether|if))\b/;

/** "draft a plan" is planning, whatever "draft a" may say. */
const MAKING_PLAN = new RegExp(`^(?:write|draft|create|make|give|generate)\\b.{0,40}\\b${PLANS}\\b`);

const CREATIVE: readonly RegExp[] = [
  new RegExp(
    `^(?:write|compose|draft|create|make|generate|invent|improvise|tell|give|sing|recite|finish|continue|rewrite)\\b.{0,80}\\b${WORKS}\\b`,
  ),
  /^(?:write|compose|draft|rewrite) (?:a|an|me|us|some|the|my|our)\b/,
  new RegExp(
    `^(?:(?:a|an|some|another|one more|short|funny|little|new|good|catchy) ){0,4}${WORKS}(?: (?:about|for|on|in|with|please)\\b|$)`,
  ),
];

const STRATEGY: readonly RegExp[] = [
  /^(?:plan|design|optimi[sz]e|outline|strategi[sz]e|brainstorm)\b(?! (?:b|patterns?|thinking|systems?)$)/,
  /\bhow (?:to|do i|can i|should i|do we|can we|should we|would you) (?:best )?(?:start|launch|grow|scale|prepare|organi[sz]e|improve|become|build|get into|get better|plan|manage|increase|reduce|optimi[sz]e)\b/,
  /\bbest (?:way|ways|approach) (?:to|for)\b/,
  new RegExp(
    `^(?:help me|let's|i need|i want|i'd like|give me|make|create|draft|prepare|propose|suggest|develop|build)\\b.{0,60}\\b(?:${PLANS}|to plan|plan|optimi[sz]e)\\b`,
  ),
  new RegExp(`^(?:(?:a|an|my|the|good|better|new) ){0,3}(?:[a-z]+ ){0,3}${PLANS} (?:for|to)\\b`),
  /\bdesign an? .{1,60}\b(?:that|for|which|to)\b/,
];

const PERSONAL =
  '(?:favou?rites?|profile|(?:first |last |full |middle |nick|user)?names?|birth(?:day|date|place)?|date of birth|age|address(?:es)?|phone(?: number)?|e-?mails?|job|occupation|employer|hobb(?:y|ies)|allerg(?:y|ies)|preferences?|hometown|height|weight|timezone|language)';
const PROFILE: readonly RegExp[] = [
  /\bwho am i\b/,
  new RegExp(`\\bmy (?:[a-z']+ ){0,2}${PERSONAL}\\b`),
  /^(?:(?:do you (?:know|remember)|tell me|remind me) )?(?:what|what's|who|who's|when|when's|where|where's|which|how (?:old|tall|many|much))\b(?: (?:is|are|was|were|do|does|did|has|have|color|colour))*(?: the [a-z]+ of)? my\b/,
  /\b(?:what|how much) do you (?:know|remember) about me\b|^do you (?:know|remember) (?:me|my)\b/,
  /^(?:show|tell|give|list|recall|summari[sz]e|recap|review|read)\b(?: me| us)?(?: all)?(?: of)?(?: what you know about me\b| my\b)/,
  /\bhow old am i\b|\bwhere (?:do i (?:live|work)|am i from|was i born)\b|\bwhen was i born\b|\bwhat am i allergic to\b|\bwhat do i (?:like|prefer|do for a living)\b/,
];
/** A wish about one's things is no question for them. */
const NO_PROFILE = /^(?:fix|debug|review my code|clean|repair|translate|proofread|improve|help me (?:with|fix))\b/;

const SEARCH: readonly RegExp[] = [
  /^(?:search|google|look up|lookup|look for|find|cite|browse|research)\b/,
  /\b(?:search (?:for|the (?:web|internet|net))|look up|cite (?:a |the |your |some )?sources?|(?:show|send|give) me (?:some )?(?:links?|sources?)|links? (?:to|about|for)|sources? (?:for|on|about)|(?:latest|recent|breaking|today's) news|news (?:about|on|from)|headlines)\b/,
];

const FACT: readonly RegExp[] = [
  /^(?:what|who|when|where|which|why)(?:'s|'re)? (?:is|are|was|were|does|did|has|have|do)\b/,
  /^(?:what|who|when|where|why)'s\b/,
  /^(?:what|which) [a-z]+ (?:is|are|was|were|has|have|did|does|do)\b/,
  /^who (?:[a-z]+ed|wrote|won|built|made|said|sang|painted|founded|led|found)\b/,
  /^how (?:many|much|tall|far|big|deep|long|old|fast|heavy|high|hot|cold)\b/,
  /^how (?:do|does|did) (?!i\b|we\b|you\b)[a-z]+/,
  /^(?:define|definition of|meaning of|explain|describe|tell me about)\b/,
  /\b(?:definition|meaning) of\b|\bwhat does .{1,60} mean\b/,
];
/** Talk with the machine about itself or about what to do is no question of fact. */
const NO_FACT =
  /\byou\b|\byour\b|\bshould (?:i|we)\b|^what (?:do|can|could|would) (?:i|we)\b|^(?:what|which|how (?:much|long|many)).{0,40} should\b/;

const any = (shapes: readonly RegExp[], text: string): boolean => shapes.some((shape) => shape.test(text));

/** How each intent is recognised, in order of precedence: the first that holds is the primary one. */
const RULES: readonly (readonly [Intent, (query: QueryText) => boolean])[] = [
  ['command', ({ text }) => COMMAND.test(text) && !NO_COMMAND.test(text) && !MAKING.test(text)],
  ['verification', ({ text }) => VERIFICATION.test(text)],
  ['creative', ({ text }) => any(CREATIVE, text) && !MAKING_PLAN.test(text)],
  ['math', ({ text }) => isMath(text)],
  ['strategy', ({ text }) => any(STRATEGY, text)],
  ['profile', ({ text, has_user }) => has_user && any(PROFILE, text) && !NO_PROFILE.test(text)],
  ['search', ({ text }) => any(SEARCH, text)],
  ['fact', ({ text }) => any(FACT, text) && !NO_FACT.test(text)],
];

/**
 * All intents of a query, the primary one first; `general` alone where none holds.
 *
 * Precedence, and why: an imperative says what is wanted before its words say about what, so **command** ("remember my
 * birthday is 5 May"), **verification** ("verify that 2+2=4") and **creative** ("write a poem about integrals") come
 * before what they mention; **math** before **strategy** and **profile**, since it needs operands or a mathematical
 * object and so seldom errs; **strategy** before **profile** ("plan my birthday party"); **profile** before **search**
 * and **fact** ("what is my name"); **search** before **fact** ("what is the latest news about Mars").
 */
export function intentsOf(query: QueryText): readonly Intent[] {
  const found = RULES.filter(([, holds]) => holds(query)).map(([intent]) => intent);
  return found.length > 0 ? found : ['general'];
}
