import { decide } from './decide.js';
import { COST, type OwnIntent, type OwnIntents, ownIntentsFault, READ_BY_OWN } from './own-intents.js';
import { costOf } from './pattern-cost.js';
import { classifyQuery } from './qcp.js';
import { BUILT_IN_MODULES, ROUTER_DEFAULTS } from './router-constants.js';

const intent = (patterns: string[], more: Partial<OwnIntent> = {}): OwnIntent => ({ patterns, actions: [], ...more });
const tags = (query_text: string, own: OwnIntents, names_fact = false): readonly string[] =>
  classifyQuery({ query_text, has_user: true, names_fact: () => names_fact, own }).intent_tags;
const fault = (own: OwnIntents): string | null => ownIntentsFault({ ...ROUTER_DEFAULTS, own_intents: own });
const faultOf = (pattern: string): string | null => fault({ refund: intent([pattern]) });

/** The same kinds of choice inside, beside and around each other, each with a failure at the end. */
const CHOICES = [
  'a|a',
  'a|a|a',
  'a?',
  'a{0,3}',
  'a{1,200}',
  '|a',
  '||',
  '(a)|(a)',
  '(?=a)a|a',
  '(?!b).|.',
  '[^x]|.',
  '\\Ba|a',
];
const DEAR = [
  ...CHOICES.flatMap((choice) => [1, 5, 9, 12, 30, 200].map((most) => `(?:${choice}){1,${most}}b`)),
  ...CHOICES.flatMap((choice) => [2, 3, 200].map((most) => `(?:(?:${choice}){1,${most}}){1,${most}}b`)),
  ...CHOICES.map((choice) => `(?:(?:${choice}){1,200}){1,200}b{0}c`),
  ...CHOICES.map((choice) => `(?:(?:${choice}){1,200}){1,200}b{0,0}c`),
  ...CHOICES.flatMap((choice) => [3, 6, 20].map((most) => `(?=(?:${choice}){1,${most}}b)a`)),
  ...CHOICES.flatMap((choice) => [3, 6, 20].map((most) => `(?<=^(?:.{100}){9}(?:${choice}){1,${most}})b`)),
  '(a?){6}a{6}b',
  '(a?){30}a{30}b',
  'a{0,40}a{0,40}b',
  'a{0,200}a{0,7}b',
  '(?:.{200}){19}b',
  '(?<=^(?:.{100}){19}a{0,40}a{0,40})b',
];
/** What they read at worst. */
const READ = ['a', 'xa', 'é😀'].map((part) => part.repeat(1_000).slice(0, 1_000));

/** At one of three times, so that a pause of the machine is not counted. */
const isWithin = (milliseconds: number, work: () => void): boolean =>
  [1, 2, 3].some(() => {
    const start = performance.now();
    work();
    return performance.now() - start < milliseconds;
  });

const REFUND = intent(['\\brefunds?\\b', 'money back$']);

describe('an own intent', () => {
  it('is given to a query that no built-in intent holds, read as the built-in rules read it', () => {
    expect(tags('hello', { refund: REFUND })).toEqual(['general']);
    for (const query of ['A REFUND, please!', 'Hey, I’d like my   money back.'])
      expect(tags(query, { refund: REFUND })).toEqual(['refund']);
  });

  it('comes below every built-in one, a fact that is known by the phrase among them, unless it is over it', () => {
    const over = (...names: string[]): OwnIntents => ({ refund: { ...REFUND, over: names } });
    expect(tags('What is a refund?', { refund: REFUND })).toEqual(['fact', 'refund']);
    expect(tags('Refund', { refund: REFUND }, true)).toEqual(['fact', 'refund']);
    expect(tags('What is a refund?', over('fact'))).toEqual(['refund', 'fact']);
    const query = 'Remember that my favorite thing is a refund';
    expect(tags(query, over('profile'))).toEqual(['command', 'refund', 'profile']);
    expect(tags(query, over('profile', 'command'))).toEqual(['refund', 'command', 'profile']);
  });

  it('stands among others by name, whatever their order in the policy', () => {
    const one = intent(['order']);
    expect(tags('an order', { b: one, a: one })).toEqual(['a', 'b']);
    const over = intent(['order'], { over: ['fact'] });
    expect(tags('what is an order?', { b: over, a: over, c: one })).toEqual(['a', 'b', 'fact', 'c']);
  });

  it('reads the beginning of a long query', () => {
    const before = 'x'.repeat(READ_BY_OWN - 7);
    expect(tags(`${before} refund`, { refund: REFUND })).toEqual(['refund']);
    expect(tags(`${before}  x refund`, { refund: REFUND })).toEqual(['general']);
  });

  it('is served by who lists it and may do what it takes, under its name as the reason', () => {
    const module = { ...BUILT_IN_MODULES[0]!, apt: 0.7, status: 'healthy', dependency_unhealthy: false } as const;
    const shop = { ...module, node_id: 'agent:shop', agent_id: 'shop_agent', capabilities: ['refund'] };
    const routed = (actions: readonly string[]) =>
      decide({
        classification: { intent_tags: ['refund'] },
        modules: [shop],
        attention: { attention_gain: 0.5, explore_bias: 0.15 },
        goals: [],
        budget: { token_budget: 2048, max_depth_allowed: 2 },
        constants: { ...ROUTER_DEFAULTS, own_intents: { refund: { ...REFUND, actions } } },
        excluded: [],
        has_user: true,
      });
    expect(routed(['compute'])).toMatchObject({ agent_id: 'shop_agent', route_reason: 'refund', depth: 1 });
    expect(routed(['compute', 'sem.write'])).toMatchObject({
      error_code: 'ROUTER_NO_MATCH',
      route_trace: { excluded: [{ node_id: 'agent:shop', reason: 'forbidden_action' }] },
    });
  });
});

describe('a policy with own intents', () => {
  it('is refused where one takes a name of the system', () => {
    for (const name of ['command', 'general', 'math_detect', 'fallback_generic', 'pii', 'plan', 'answer'])
      expect(fault({ [name]: REFUND })).toMatch(new RegExp(`^/own_intents/${name}: a name of the system`));
    expect(fault({ refund: REFUND, 'refund.large': REFUND })).toBeNull();
  });

  it.each([
    ['refund.*order', /: repeats without end \(\*\): write how often at most, as in \{0,40\}$/],
    ['(?:ab)+c', /: repeats without end \(\+\): .*\{1,40\}$/],
    ['a{2,}b', /: repeats without end \(\{2,\}\)/],
    ['a{201}b', /: repeats 201 times: at most 200$/],
    ['(?:a?){30}b', new RegExp(`: takes \\d+ steps at a place of a query, at most ${COST.pattern}: let less repeat`)],
    ['(?:a|a){1,40}b', /: takes \d+ steps/],
    ['a{1,90}a{1,90}b', /: takes \d+ steps/],
    ['(?:(?:a|a){1,200}){1,200}b', /: takes countless steps/],
    ['(?:(?:a|a){1,200}){1,200}b{0}c', /: repeats 0 times \(\{0\}\): leave out what is never there$/],
    ['a{0,0}b', /: repeats 0 times/],
    ['(a', /: is no regular expression: /],
    ['a\\', /: is no regular expression: /],
    ['\\p{L}', /: has \\p: there are /],
    ['(.)\\1', /: has \\1: there are /],
    ['(?<sum>\\d)', /: names a group: write /],
    ['Refund', /: has the capital letter R: queries are read in small letters$/],
    ['[A-Z]', /: has the capital letter A/],
    ['(?:refund)?', /: is found in every query: /],
    ['order|', /: is found in every query: /],
  ])('is refused where a pattern is %s', (pattern, why) => {
    expect(faultOf(pattern)).toMatch(why);
    expect(faultOf(pattern)).toMatch(/^\/own_intents\/refund\/patterns\/0: /);
  });

  it.each([
    '^(?:set|open) (?!theory)',
    '\\brefund\\b.{0,60}\\border\\b',
    '[a-z#]{1,20}? \\d{1,6}',
    '(?<!no )€ ?\\d',
    'a\\.b[\\]-]',
  ])('is taken where a pattern is %s', (pattern) => {
    expect(faultOf(pattern)).toBeNull();
  });

  it('is refused where its patterns together take too many steps or bytes', () => {
    const costly = '\\brefund\\b.{0,80}\\border\\b.{0,10}x';
    const { steps } = costOf(costly);
    const most = Math.floor(COST.policy / steps);
    const many = (count: number): OwnIntents => ({ refund: intent(Array.from({ length: count }, () => costly)) });
    expect(fault(many(most))).toBeNull();
    expect(fault(many(most + 1))).toMatch(
      new RegExp(`^/own_intents/refund/patterns/${most}: with it all patterns take ${steps * (most + 1)} steps`),
    );
    expect(fault({ refund: intent(['é'.repeat(40_000)]) })).toMatch(/^\/own_intents: \d+ bytes; at most 65536$/);
  });
});

describe('the steps of a pattern', () => {
  it('bound the time that it takes for a thousand characters, however its choices multiply', () => {
    const taken = DEAR.filter((pattern) => faultOf(pattern) === null);
    const slow = taken.filter((pattern) => {
      const made = new RegExp(pattern, 'u');
      return READ.some((text) => !isWithin(50, () => made.test(text)));
    });
    expect(slow).toEqual([]);
    expect(taken).toEqual(expect.arrayContaining(['(?:a|a){1,9}b', '(a?){6}a{6}b', 'a{0,200}a{0,7}b']));
    expect(taken.length).toBeLessThan(DEAR.length / 2);
  });

  it.each(['a{0,40}a{0,40}b', '(?:a|a){1,9}b', 'a{0,200}a{0,7}b', '(?:[^x]|.){1,9}b'])(
    'keep a query from taking 40 ms, where it takes 10, under a policy full of %s',
    (pattern) => {
      const { steps } = costOf(pattern);
      const own = { refund: intent(Array.from({ length: Math.floor(COST.policy / steps) }, () => pattern)) };
      expect(fault(own)).toBeNull();
      expect(isWithin(40, () => tags('a'.repeat(1_000), own))).toBe(true);
    },
  );

  it.each([
    ['abc', 3],
    ['a|bc', 3],
    ['ab?c', 4],
    ['a{1,3}b', 6],
    ['(?:ab|c){2}', 12],
    ['a(?=b{0,4})c', 7],
    ['(?<=bc{0,4})', 10],
    ['(?:||)a', 7],
    ['[😀😁]', 3],
  ])('of %s are %i', (pattern, steps) => {
    expect(costOf(pattern).steps).toBe(steps);
  });
});
