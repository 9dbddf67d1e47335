import { AliasMap, attributeFromPhrase } from './aliases.js';
import { factPhrase } from './normalize-phrase.js';

const map = new AliasMap([
  ['fav colour', 'user/profile/{user_id}/favorite_color'],
  ['who am I', 'user/profile/{user_id}/name'],
  ["Ohm's law", 'world/fact/ohms_law/definition'],
  ['pi', 'world/fact/pi_value/value'],
  ['capital of France', 'world/fact/france/capital'],
  ['Router default depth', 'mace/config/router/default_depth'],
]);

describe('an alias', () => {
  it.each([
    'fav colour',
    'Favourite color',
    'favorite-colour',
    "What's my favorite color?",
    'What’s my favourite colour?',
    'what is my fav color again',
    'Tell me my favorite color, please!',
    'Do you remember what my favourite colour is?',
  ])('%j means the asking principal’s favorite color', (text) => {
    expect(map.resolveAlias(text, 'user_tuff')).toBe('user/profile/user_tuff/favorite_color');
  });

  it.each([
    "What is Ohm's law?",
    'What is Ohm’s law?',
    'What is Ohm`s law?',
    'OHMS LAW',
    "Define Ohm's law",
    "Explain what Ohm's law is",
    "Can you tell me what Ohm's law means?",
  ])('%j means Ohm’s law, whoever asks', (text) => {
    expect(map.resolveAlias(text, null)).toBe('world/fact/ohms_law/definition');
    expect(map.resolveAlias(text, 'user_tuff')).toBe('world/fact/ohms_law/definition');
  });

  it('resolves the phrases of the seed’s example table', () => {
    expect(map.resolveAlias('Router default depth', null)).toBe('mace/config/router/default_depth');
    expect(map.resolveAlias('Who am I?', 'user_tuff')).toBe('user/profile/user_tuff/name');
  });

  it('that needs a user gives no key where nobody asks', () => {
    expect(map.resolveAlias('fav colour', null)).toBeNull();
  });

  it('may be known to all and be the asking principal’s too: "my" decides', () => {
    const both = new AliasMap([
      ['operating system', 'user/profile/{user_id}/operating_system'],
      ['operating system', 'world/fact/operating_system/definition'],
    ]);
    expect(both.resolveAlias('What is an operating system?', 'user_tuff')).toBe(
      'world/fact/operating_system/definition',
    );
    expect(both.resolveAlias('What is my operating system?', 'user_tuff')).toBe(
      'user/profile/user_tuff/operating_system',
    );
    expect(both.resolveAlias('What is my operating system?', null)).toBeNull();
  });

  it('after "my" never gives a key that is not the asking principal’s', () => {
    expect(map.resolveAlias('What is my pi?', 'user_tuff')).toBeNull();
    expect(map.resolveAlias('what is the value of pi', 'user_tuff')).toBe('world/fact/pi_value/value');
  });

  it.each(['', '?', 'favorite', 'color', 'ohm', 'the favorite color of my dog', '__proto__', 'constructor'])(
    'is not guessed from %j',
    (text) => {
      expect(map.resolveAlias(text, 'user_tuff')).toBeNull();
    },
  );

  it.each([
    [
      [
        ['pi', 'world/fact/a/value'],
        ['PI!', 'world/fact/b/value'],
      ],
    ],
    [[['', 'world/fact/a/value']]],
    [[['my x', 'world/fact/a/value']]],
    [[['x', 'world/fact/a']]],
    [[['x', 'world/fact/{user_id}/value']]],
    [[['x', 'user/{user_id}/tuff/name']]],
    [[['x', 'user/profile/user_tuff/name']]],
    [[['x', 'user/profile/{user_id}/{user_id}']]],
  ] as [[string, string][]][])(
    'that is ambiguous or has no allowed key stops the map from being built (case %#)',
    (entries) => {
      expect(() => new AliasMap(entries)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }) as Error);
    },
  );
});

describe('the attribute of a phrase', () => {
  it.each([
    ['my favourite board game', 'favorite_board_game'],
    ['favourite board game', 'favorite_board_game'],
    ["What's my fav board game?", 'favorite_board_game'],
    ['Do you know what my favorite board game is?', 'favorite_board_game'],
    ...['list', 'show', 'show me', 'read', 'review', 'recap', 'summarize', 'Please summarise'].map(
      (verb): [string, string] => [`${verb} my reading notes`, 'reading_notes'],
    ),
    ['my review score', 'review_score'],
    ["my dog's name", 'dogs_name'],
    ['my favorite start', 'favorite_start'],
    ['my the the', 'the_the'],
  ])('%j is %j', (phrase, attribute) => {
    expect(attributeFromPhrase(phrase)).toBe(attribute);
  });

  it('does not exist where there is no word, or a story', () => {
    expect(attributeFromPhrase('!?')).toBeNull();
    expect(attributeFromPhrase(`my ${'very '.repeat(40)}long story`)).toBeNull();
  });
});

describe('the phrases of a question', () => {
  it.each([
    ["What is Ohm's law?", 'ohms law'],
    ['Who is Ada Lovelace?', 'ada lovelace'],
    ['define entropy', 'entropy'],
    ['Explain what photosynthesis is.', 'photosynthesis'],
    ['When was the French Revolution?', 'french revolution'],
    ['When did World War II end?', 'world war ii'],
    ['capital of France', 'capital of france'],
    ['What is the capital of France?', 'capital of france'],
    ['What does HTTP stand for?', 'http'],
    ['what is the value of the speed of light', 'speed of light'],
    ['the', 'the'],
  ])('for %j end with %j', (text, last) => {
    expect(factPhrase(text).at(-1)).toBe(last);
  });

  it('begin with the whole text and get shorter', () => {
    expect(factPhrase('What is the value of pi?')).toEqual([
      'what is the value of pi',
      'the value of pi',
      'value of pi',
      'pi',
    ]);
  });

  it('are few and soon found, however long the text is', () => {
    expect(factPhrase(`${'the '.repeat(16)}${'is '.repeat(16)}`).length).toBeLessThan(300);
    expect(factPhrase('the is '.repeat(150_000))).toEqual([]);
  });
});
