import { EventRegistry, NewerReleaseError, type EventDefinition } from './event-definition.js';

const renamed: EventDefinition = {
  type: 'THING_NAMED',
  version: 3,
  plain: ['label', 'language'],
  upcasters: {
    1: ({ name, ...rest }) => ({ ...rest, label: name ?? null }),
    2: (data) => ({ ...data, language: 'en' }),
  },
};
const plain: EventDefinition = { type: 'THING_SEEN', version: 1, plain: ['at'] };

describe('event registry', () => {
  const registry = new EventRegistry([renamed, plain]);

  test('knows each type once', () => {
    expect(registry.get('THING_SEEN')).toBe(plain);
    expect(registry.get('THING_LOST')).toBeUndefined();
    expect(registry.all()).toEqual([renamed, plain]);
    expect(() => new EventRegistry([plain, plain])).toThrow('event type THING_SEEN is defined twice');
  });

  test('old data is led through every version up to the current', () => {
    expect(registry.upcast('THING_NAMED', 1, { name: 'a' })).toEqual({ label: 'a', language: 'en' });
    expect(registry.upcast('THING_NAMED', 2, { label: 'a' })).toEqual({ label: 'a', language: 'en' });
  });

  test('current data passes untouched, and old data is not changed in place', () => {
    const current = { label: 'a', language: 'de' };
    expect(registry.upcast('THING_NAMED', 3, current)).toBe(current);
    const stored = Object.freeze({ name: 'a' });
    registry.upcast('THING_NAMED', 1, stored);
    expect(stored).toEqual({ name: 'a' });
  });

  test.each([
    ['a type of a newer release', 'THING_LOST', 1, 'event type THING_LOST (version 1) is not known to this release'],
    [
      'a version of a newer release',
      'THING_NAMED',
      4,
      'event type THING_NAMED has version 4; this release reads up to 3',
    ],
    ['version 0', 'THING_NAMED', 0, 'event type THING_NAMED has version 0'],
    ['a broken version', 'THING_NAMED', 1.5, 'event type THING_NAMED has version 1.5'],
  ])('%s is said clearly', (_name, type, version, message) => {
    expect(() => registry.upcast(type, version, {})).toThrow(NewerReleaseError);
    expect(() => registry.upcast(type, version, {})).toThrow(message);
  });

  test.each<[string, EventDefinition, string]>([
    ['a gap in the upcasters', { ...renamed, upcasters: { 1: (data) => data } }, 'no upcaster from version 2 to 3'],
    ['a version below 1', { ...plain, version: 0 }, 'version 0 is no version'],
    [
      'a field both plain and personal',
      { ...plain, personal: ['at'], subject: () => null },
      'at is both plain and personal',
    ],
    ['personal fields of nobody', { ...plain, personal: ['who'] }, 'has personal fields but names no subject'],
  ])('%s stops the start', (_name, definition, message) => {
    expect(() => new EventRegistry([definition])).toThrow(message);
  });
});
