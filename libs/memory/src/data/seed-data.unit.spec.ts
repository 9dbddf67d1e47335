import { findPhoneNumbersInText } from 'libphonenumber-js/max';
import { AliasMap } from '../domain/aliases.js';
import { generateCanonicalKey, parseCanonicalKey } from '../domain/canonical-key.js';
import { phraseWords } from '../domain/normalize-phrase.js';
import { worldFactAliases } from '../world-fact-aliases.js';
import { readSynonyms, readWorldFacts, type WorldFact } from './seed-data.js';

const facts = readWorldFacts();
const synonyms = readSynonyms();
const aliases = new AliasMap([...Object.entries(synonyms), ...worldFactAliases(facts)]);
const keyOf = (text: string) => aliases.resolveAlias(text, 'user_tuff');

/** Through the generator, so that a part that is not in its form would show. */
const worldFactKey = ({ entity_type, entity_id, attribute }: WorldFact) =>
  generateCanonicalKey({ scope: 'world', entityType: entity_type, entityIdRaw: entity_id, attributeRaw: attribute });

describe('the world facts', () => {
  it('are 200 or more, each under a key of its own, sorted by it', () => {
    const keys = facts.map(worldFactKey);
    expect(keys.length).toBeGreaterThanOrEqual(200);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toEqual([...keys].sort());
  });

  it.each(facts.map((fact) => [worldFactKey(fact), fact] as const))('%s is well made', (key, fact) => {
    expect(Object.keys(fact)).toEqual(['entity_type', 'entity_id', 'attribute', 'value', 'source', 'aliases']);
    expect(key).toBe(`world/fact/${fact.entity_id}/${fact.attribute}`);
    expect(['definition', 'value']).toContain(fact.attribute);
    expect(fact.value).toMatch(/^\S.{10,398}\.$/);
    expect(fact.value).toBe(fact.value.normalize('NFC'));
    expect(fact.source.length).toBeGreaterThan(3);
    expect(fact.aliases.length).toBeGreaterThan(0);
  });

  it('are each found by every alias, and by the usual questions with it', () => {
    for (const fact of facts) {
      const found = fact.aliases.flatMap((alias) => [alias, `What is ${alias}?`, `Define the ${alias}.`].map(keyOf));
      expect(new Set(found)).toEqual(new Set([worldFactKey(fact)]));
    }
  });

  it('share no alias', () => {
    const phrases = facts.flatMap((fact) => [...new Set(fact.aliases.map((alias) => phraseWords(alias).join(' ')))]);
    expect(phrases.filter((phrase, i) => phrases.indexOf(phrase) !== i)).toEqual([]);
  });

  it('hold nothing that looks like a person’s number or address', () => {
    for (const { value, source, aliases: phrases } of facts) {
      const text = [value, source, ...phrases].join('\n');
      expect(findPhoneNumbersInText(text, 'US')).toEqual([]);
      expect(text).not.toMatch(
        /\S@\S|\b\d{3}-\d{2}-\d{4}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b|\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b/,
      );
      expect((text.match(/\d(?:[ .,-]?\d)*/g) ?? []).filter((run) => run.replace(/\D/g, '').length >= 13)).toEqual([]);
    }
  });

  it.each([
    ["What is Ohm's law?", 'world/fact/ohms_law/definition'],
    ['Define entropy', 'world/fact/entropy/definition'],
    ['What is the speed of light?', 'world/fact/speed_of_light/value'],
    ['what is pi', 'world/fact/pi_value/value'],
    ['Who is Ada Lovelace?', 'world/fact/ada_lovelace/definition'],
    ['What is the capital of France?', 'world/fact/capital_of_france/value'],
    ['When was the French Revolution?', 'world/fact/french_revolution/definition'],
    ['What does JSON stand for?', 'world/fact/json/definition'],
    ['Explain what photosynthesis is', 'world/fact/photosynthesis/definition'],
    ['What is a newton?', 'world/fact/newton/definition'],
    ['Who was Newton?', 'world/fact/isaac_newton/definition'],
    ['How many planets are there?', 'world/fact/planets_of_the_solar_system/value'],
    ['What is the chemical symbol for gold?', 'world/fact/element_gold/definition'],
    ['What is Aluminium?', 'world/fact/element_aluminum/definition'],
    ['What is an operating system?', 'world/fact/operating_system/definition'],
  ])('answer %j', (question, key) => {
    expect(keyOf(question)).toBe(key);
  });

  it('do not answer what they do not say', () => {
    const questions = [
      'What is the capital of Atlantis?',
      'Define flurbish',
      'What is my entropy?',
      'Who is Jane Doe?',
    ];
    expect(questions.map(keyOf)).toEqual([null, null, null, null]);
  });
});

describe('the synonym map', () => {
  const templates = Object.values(synonyms).filter((key) => key.includes('{user_id}'));

  it('knows 40 or more attributes of a person, in the profile only', () => {
    expect(new Set(templates).size).toBeGreaterThanOrEqual(40);
    expect(templates.filter((key) => !key.startsWith('user/profile/{user_id}/'))).toEqual([]);
  });

  it('is sorted, and names only keys that are well formed and facts that exist', () => {
    expect(Object.keys(synonyms)).toEqual(Object.keys(synonyms).sort());
    const world = Object.values(synonyms).filter(
      (key) => parseCanonicalKey(key.replace('{user_id}', 'user_x')).scope === 'world',
    );
    const known = new Set(facts.map(worldFactKey));
    expect(world.filter((key) => !known.has(key))).toEqual([]);
  });

  it.each([
    ['What is my favourite colour?', 'favorite_color'],
    ['what’s my fav food', 'favorite_food'],
    ['my favourite film', 'favorite_movie'],
    ['When is my birthday?', 'birthday'],
    ['What is my job?', 'current_job'],
    ['What is my time zone?', 'timezone'],
    ['Who am I?', 'name'],
    ['Where do I live?', 'city'],
    ["What is my dog's name?", 'dog_name'],
    ['What is my operating system?', 'operating_system'],
  ])('takes %j for %s of who asks', (question, attribute) => {
    expect(keyOf(question)).toBe(`user/profile/user_tuff/${attribute}`);
  });
});
