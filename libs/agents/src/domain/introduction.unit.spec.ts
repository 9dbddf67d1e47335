import { asksForIntroduction, introduction } from './introduction.js';

describe('a greeting', () => {
  it.each(['Hello', 'hello!', 'Hi there.', 'HELP', 'What can you do?', 'who are you?', "What's this?", 'Good morning'])(
    'is met by an introduction: %s',
    (query) => expect(asksForIntroduction(query)).toBe(true),
  );

  it.each([
    'hello, what is the capital of France?',
    'help me to plan a week',
    'What can you do about my allergies?',
    'hi '.repeat(40),
    '你好',
    '',
  ])('is none where something is asked: %s', (query) => expect(asksForIntroduction(query)).toBe(false));
});

describe('an introduction', () => {
  const offer = (display_name: string, capabilities: readonly string[], isReady = true) => ({
    display_name,
    capabilities,
    isReady,
  });

  it('names each agent with a question that it answers, or with what it says that it can', () => {
    expect(introduction([offer('Mathematics', ['math']), offer('Weather', ['weather', 'tides'])])).toBe(
      [
        'I am MACE. I give a question to one of several agents, and keep a record of why it was answered so. You can ask:',
        '- Mathematics: What is 12 * 7?',
        '- Weather: weather, tides',
      ].join('\n'),
    );
  });

  it('names those that lack their language engine as such', () => {
    expect(introduction([offer('Writing', ['creative'], false), offer('Planning', ['strategy'], false)])).toContain(
      'Writing and Planning cannot answer now: they need a language engine, and none is configured.',
    );
  });

  it('stays short where thousands are registered', () => {
    const text = introduction(Array.from({ length: 10_000 }, (_, n) => offer(`Agent ${n}`, [])));
    expect(text).toContain('- Agent 19\nand 9980 more agents.');
    expect(text).not.toContain('Agent 20');
  });
});
