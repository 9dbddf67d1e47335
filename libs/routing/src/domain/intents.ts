import { isMath } from './math-intent.js';
import { type OwnIntents, withOwn } from './own-intents.js';
import type { QueryText } from './query-text.js';

/** What a query asks for. Modules list the intents they serve among their capabilities. */
export type Intent =
  'command' | 'verification' | 'creative' | 'math' | 'strategy' | 'profile' | 'search' | 'fact' | 'general';

const WORKS =
  '(?:poems?|poetry|haikus?|sonnets?|limericks?|ballads?|verses?|rhymes?|stor(?:y|ies)|tales?|fairy ?tales?|songs?|lyrics|raps?|lullab(?:y|ies)|slogans?|taglines?|ad copy|jokes?|riddles?|puns?|screenplays?|novels?|essays?|blog posts?|captions?|speech(?:es)?|toasts?|dialogues?)';
const PLANS = '(?:plans?|roadmaps?|strateg(?:y|ies)|itinerar(?:y|ies))';

/** Made, they are plans; asked for ("my schedule for today"), they are not. */
const PLANS_MADE = `(?:${PLANS}|schedules?|timetables?)`;

const COMMAND =
  /^(?:set|save|store|remember|record (?:that|my)|write down|(?:turn|switch) (?:on|off|up|down)|wake me|call (?:my|me a)|play (?:some|the|my)|note(?=:)|forget|create|delete|erase|schedule|send|open|remind|cancel|book|update|note (?:that|down|this|to self)|make a note|take a note|keep in mind|don't forget|do not forget|add .{1,80} to (?:my|the)|remove .{1,80} from (?:my|the))\b/;
/** Words of COMMAND that begin something else: "set theory", "open source", "remember when we met". */
const NO_COMMAND =
  /^(?:set (?:theory|notation|of|in stone|[a-z] ?=)|sets?$|open (?:source|sourced|ai|air|office|ended|problems?|questions?|letters?|relationships?|minds?|minded|hearts?|house|mic|season|bar|secret|sesame)\b|open-|remember (?:when|how|the time|the alamo|the titans)\b|schedule (?:of|for)\b|book(?: (?:of|about|by|recommendations?|reviews?|clubs?|worms?|shops?|stores?|cases?|shel(?:f|ves))\b|$)|update (?:on|about|available|required)\b|store (?:brands?|hours|credit|manager)\b|cancel culture\b|save (?:money|energy|time|the (?:whales?|dates?|day|planet|world|bees|children|oceans?|earth|queen|king))\b|create(?:d|s)\b|delete (?:key|button)|send (?:in the clowns|button|key|help)\b|remind me (?:of my|what|who|when|where|which|how)\b|call me maybe\b)/;
const MAKING = new RegExp(`^create\\b.{0,60}\\b(?:${WORKS}|${PLANS_MADE})\\b`);

const VERIFICATION =
  /^(?:verify\b|double[- ]?check\b|fact[- ]?check\b|is it true\b|confirm (?:that|whether|if)\b|check (?:that|whether|if)\b|true or false\b|is (?:this|that|it) (?:correct|right|true|so)(?: that\b|:))/;

/** "draft a plan" is planning, whatever "draft a" may say. */
const MAKING_PLAN = new RegExp(`^(?:write|draft|create|make|give|generate)\\b.{0,40}\\b${PLANS_MADE}\\b`);

const CREATIVE: readonly RegExp[] = [
  new RegExp(
    `^(?:write|compose|draft|create|make|generate|invent|improvise|tell|give|sing|recite|finish|continue|rewrite|come up with|think of)\\b.{0,80}\\b${WORKS}\\b`,
  ),
  /^(?:write|compose|draft|rewrite) (?:a|an|me|us|some|the|my|our|code|it|this)\b/,
  /^write (?:[a-z#+]{1,20} ){0,3}(?:code|programs?|scripts?|functions?|class(?:es)?|quer(?:y|ies)|tests?|sql|html)\b/,
  new RegExp(
    `^(?:i want|i need|i'd like|i would like) (?:a|an|some|another) (?:[a-z]{1,20} ){0,2}${WORKS}(?: (?:about|for|on|in)\\b|$)`,
  ),
  /^(?:invent|make up|improvise) (?:a|an|me|some|the|another|\d)\b/,
  new RegExp(
    `^(?:(?:a|an|some|another|one more|short|funny|little|new|good|catchy) ){0,4}${WORKS}(?: (?:about|for|on|in|with|please)\\b|$)`,
  ),
];

const STRATEGY: readonly RegExp[] = [
  /^(?:plan|design|optimi[sz]e|outline|strategi[sz]e|brainstorm)\b(?! (?:b$|patterns?\b|thinking\b|systems?$|(?:[a-z]+ )?definition$))/,
  // How to do something asks for steps, whatever is to be done.
  /\bhow (?:to|do i|can i|should i|could i|do we|can we|should we|could we|would you) (?!(?:know|look|feel|seem|spell|say|pronounce|help you|compare|sound|do|be|tell)\b)[a-z]+/,
  /^(?:the |what are the )?steps (?:to|for)\b/,
  /\bbest (?:way|ways|approach) (?:to|for)\b/,
  new RegExp(
    `^(?:help me|let's|i need|i want|i'd like|give me|make|create|draft|prepare|propose|suggest|develop|build)\\b.{0,60}\\b(?:${PLANS_MADE}|to plan|plan|optimi[sz]e)\\b`,
  ),
  new RegExp(
    `^(?!(?:is|are|was|were|do|does|did|has|have|what|who|when|where|why|which|i|we|you|they|he|she|it|there|no|this|that)\\b)(?:(?:a|an|my|the|good|better|new) ){0,3}(?:[a-z]+ ){0,3}${PLANS} (?:for|to)\\b`,
  ),
  /\bdesign an? .{1,60}\b(?:that|for|which|to)\b/,
];

const PERSONAL =
  '(?:fav(?:e|s|ou?rites?)?|(?:shoe|shirt|t-shirt|dress|ring|hat) size|zodiac sign|star sign|nationality|anniversary|profile|(?:first |last |full |middle |nick|user)?names?|birth(?:day|date|place)?|date of birth|age|address(?:es)?|phone(?: number)?|e-?mails?|job|occupation|employer|hobb(?:y|ies)|allerg(?:y|ies)|preferences?|hometown|height|weight|timezone|language)';
/** Without one of these no question is about who asks. */
const OF_SELF = /\b(?:i|me|my|myself)\b/;
const PROFILE: readonly RegExp[] = [
  /\bwho am i\b/,
  new RegExp(`\\bmy (?:[a-z']+ ){0,2}${PERSONAL}\\b`),
  /^(?:(?:do you (?:know|remember)|tell me|remind me) )?(?:what|what's|who|who's|when|when's|where|where's|which|how (?:old|tall|many|much))\b(?: (?:is|are|was|were|do|does|did|has|have|color|colour)){0,3}(?: the [a-z]+ of| on| in| for)? my\b/,
  /^(?:what|which|who|when|where|how (?:old|tall|heavy|many|much|long))\b(?: [a-z]+){0,3} (?:do|did) i (?:like|love|hate|dislike|prefer|enjoy|speak|own|drive|live|work|study|eat|drink|play|have(?! to)|weigh|wear|collect|get up|wake up|go to (?:bed|school|work)|come from|support)\b/,
  /^(?:how (?:old|tall|heavy)|where|who) am i(?:$| from\b)/,
  /^(?:do|did) i (?:have|own|like|love|hate|prefer|enjoy|speak|eat|drink|play|drive|live|work|smoke|wear|collect)\b(?! (?:to|time|a chance|any chance|too)\b)/,
  /^am i (?:married|single|divorced|engaged|allergic|vegan|vegetarian|left-handed|right-handed|retired|employed|a (?:vegan|vegetarian|parent|student|morning person|teacher|nurse|doctor))\b/,
  /\babout myself$|\b(?:everything|anything|all|what|things) (?:that )?you(?: have|'ve)? (?:know|remember|stored|saved|learned)(?: about)? (?:about )?me\b/,
  /\bwhat (?:did|have) i (?:tell|told|say|said)\b|^(?:did|have) i (?:tell|told) you\b/,
  /^do you (?:know|remember) (?:where|what|who|when|which|how old|if|whether) (?:i|i'm|my)\b/,
  /\b(?:what|how much) do you (?:know|remember) about me\b|^do you (?:know|remember) (?:me|my)\b/,
  /^(?:show|tell|give|list|recall|summari[sz]e|recap|review|read)\b(?: me| us)?(?: all)?(?: of)?(?: what you know about me\b| my\b)/,
  /\bhow old am i\b|\bwhere (?:do i (?:live|work)|am i from|was i born)\b|\bwhen was i born\b|\bwhat am i allergic to\b|\bwhat do i (?:like|prefer|do for (?:a living|work|fun))\b/,
];
/** A wish about one's things is no question for them. */
const NO_PROFILE = /^(?:fix|debug|review my code|clean|repair|translate|proofread|improve|help me (?:with|fix))\b/;

const SEARCH: readonly RegExp[] = [
  /^(?:search|google|look up|lookup|look for|find|cite|browse|research)\b/,
  /\b(?:search (?:for|the (?:web|internet|net))|look up|cite (?:a |the |your |some )?sources?|(?:show|send|give) me (?:some )?(?:links?|sources?)|links? (?:to|about|for)|sources? (?:for|on|about)|(?:latest|recent|breaking|today's) news|news (?:about|on|from|today)|in the news|headlines|weather (?:forecast|in|for|today|tomorrow))\b/,
  /^(?:the )?(?:news|weather)$/,
];

const FACT: readonly RegExp[] = [
  /^(?:what|who|when|where|which|why)(?:'s|'re)? (?:is|are|was|were|does|did|has|have|do)\b/,
  /^(?:what|who|when|where|why)'s\b/,
  /^(?:what|which) [a-z]+ (?:is|are|was|were|has|have|did|does|do)\b/,
  /^who (?:[a-z]+ed|wrote|won|built|made|said|sang|painted|founded|led|found)\b/,
  /^how (?:many|much|tall|far|big|deep|long|old|fast|heavy|high|hot|cold)\b/,
  /^how (?:do|does|did) (?!i\b|we\b|you\b)[a-z]+/,
  /^(?:define|definition of|meaning of|explain|describe|tell me about)\b/,
  /^what happened\b|^name (?:the|all|some|two|three|four|five|\d+)\b/,
  /\b(?:definition|meaning) of\b|[a-z] definition$|\bwhat does .{1,60} mean\b/,
];
/** Talk with the machine about itself or about what to do is no question of fact. */
const NO_FACT =
  /\byou\b|\byour\b|\bshould (?:i|we)\b|^what (?:do|can|could|would) (?:i|we)\b|^what's (?:up|new|going on|happening)$|^(?:what|which|how (?:much|long|many)).{0,40} should\b/;

const any = (shapes: readonly RegExp[], text: string): boolean => shapes.some((shape) => shape.test(text));

/** How each intent is recognised, in order of precedence: the first that holds is the primary one. */
const RULES: readonly (readonly [Intent, (query: QueryText) => boolean])[] = [
  ['command', ({ text }) => COMMAND.test(text) && !NO_COMMAND.test(text) && !MAKING.test(text)],
  ['verification', ({ text }) => VERIFICATION.test(text)],
  ['creative', ({ text }) => any(CREATIVE, text) && !MAKING_PLAN.test(text)],
  ['math', ({ text }) => isMath(text)],
  ['strategy', ({ text }) => any(STRATEGY, text)],
  ['profile', ({ text, has_user }) => has_user && OF_SELF.test(text) && any(PROFILE, text) && !NO_PROFILE.test(text)],
  ['search', ({ text }) => any(SEARCH, text)],
  ['fact', ({ text }) => any(FACT, text) && !NO_FACT.test(text)],
];

const NONE: OwnIntents = {};

/**
 * All intents of a query, the primary one first; where none holds, `fact` if a stored fact is known by the phrase, else
 * `general` alone.
 *
 * Precedence, and why: an imperative says what is wanted before its words say about what, so **command** ("remember my
 * birthday is 5 May"), **verification** ("verify that 2+2=4") and **creative** ("write a poem about integrals") come
 * before what they mention; **math** before **strategy** and **profile**, since it needs operands or a mathematical
 * object and so seldom errs; **strategy** before **profile** ("plan my birthday party"); **profile** before **search**
 * and **fact** ("what is my name"); **search** before **fact** ("what is the latest news about Mars"). Those of the
 * deployment come below all of these (seed 001, Router section 9), but for what each says it comes before.
 */
export function intentsOf(query: QueryText, own: OwnIntents = NONE): readonly string[] {
  const found = RULES.filter(([, holds]) => holds(query)).map(([intent]) => intent);
  const known = found.length === 0 && query.names_fact() ? ['fact'] : found;
  const all = withOwn(known, query, own);
  return all.length > 0 ? all : ['general'];
}
