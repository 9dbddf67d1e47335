import { detect, detectInPayload } from '../detection.js';

const namesIn = (text: string): string[] =>
  detect(text)
    .filter(({ type }) => type === 'first_name')
    .map(({ start, end }) => text.slice(start, end));

const membersOf = (payload: unknown): string[] =>
  detectInPayload(payload).map(({ pointer, finding: { type } }) => `${type} ${pointer}`);

describe('a German introduction by article', () => {
  it.each([
    ['ich bin die Katharina', 'Katharina'],
    ['Ich bin die Frieda und wohne in Kiel', 'Frieda'],
    ['ich bin der Klaus aus Ulm', 'Klaus'],
    ['Guten Tag, ich bin die Sigrun.', 'Sigrun'],
  ])('gives a name in %j', (text, name) => {
    expect(namesIn(text)).toEqual([name]);
  });

  it.each([
    'ich bin die Oma',
    'ich bin der Boss',
    'ich bin die Neue',
    'ich bin der Vater und sie die Mutter',
    'Hallo, ich bin die Chefin',
    'Hallo, ich bin der Administrator',
    'Hallo, ich bin die Lehrerin.',
    'ich bin der Meinung, dass es geht',
    'sie weiß, ich bin die Katastrophe',
  ])('says what somebody is in %j', (text) => {
    expect(namesIn(text)).toEqual([]);
  });
});

describe('an introduction with what is said at a first meeting', () => {
  it.each([
    ['soy Begoña, encantada', 'Begoña'],
    ['Sono Ginevra, piacere!', 'Ginevra'],
    ['je suis Maëlle, enchantée', 'Maëlle'],
  ])('gives a name in %j', (text, name) => {
    expect(namesIn(text)).toEqual([name]);
  });

  it('gives none where nothing of the kind is said', () => {
    for (const text of ['soy Argentina, no Uruguay', 'Sono Romano, e tu?', 'je suis Charlie'])
      expect(namesIn(text)).toEqual([]);
  });
});

it.each([
  ['ik heet Sjoerd', 'Sjoerd'],
  ['nazywam się Zbigniew', 'Zbigniew'],
  ['mam na imię Halina', 'Halina'],
  ['o meu nome é Leonor', 'Leonor'],
  ['chamo-me Tiago', 'Tiago'],
])('is understood in Dutch, Polish and Portuguese: %j', (text, name) => {
  expect(namesIn(text)).toEqual([name]);
});

it.each([
  'call me Monday',
  'call me Friday morning',
  'this is Linux speaking of kernels',
  "I'm Fine, thanks",
  'ik heet u welkom',
])('is none in %j', (text) => {
  expect(namesIn(text)).toEqual([]);
});

describe('a member named for a first name', () => {
  it('holds one', () => {
    expect(membersOf({ firstName: 'Ada', vorname: 'Jörg' })).toEqual(['first_name /firstName', 'first_name /vorname']);
    expect(membersOf({ user: { given_name: 'Anna-Lena' } })).toEqual(['first_name /user/given_name']);
  });

  it('holds none where it is empty, a sentence, or only stands below one', () => {
    for (const payload of [
      { firstName: 'required' },
      { firstName: 'unknown' },
      { firstName: '' },
      { firstName: 'Please type it here' },
      { firstName: { label: 'Required' } },
      { firstNameLabel: 'Name' },
      { name: 'router' },
    ])
      expect([payload, membersOf(payload)]).toEqual([payload, []]);
  });
});
