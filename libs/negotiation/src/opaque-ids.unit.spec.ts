import { OpaqueIds } from './opaque-ids.js';

/** Says of each text that it is asked about whether a nine stands in it, or an a beside a b. */
function idsAnd(): { readonly ids: OpaqueIds; readonly asked: string[] } {
  const asked: string[] = [];
  const isPersonal = (text: string): boolean => {
    asked.push(text);
    return text.includes('9') || text.includes('a b');
  };
  return { ids: new OpaqueIds(isPersonal), asked };
}

describe('ids', () => {
  it('that held nothing personal are looked at once, however often they come', () => {
    const { ids, asked } = idsAnd();
    for (let i = 0; i < 3; i++) expect(ids.holdPersonal(['one', 'two'])).toBe(false);
    expect(ids.holdPersonal(['one'])).toBe(false);
    expect(asked).toEqual(['one two']);
  });

  it('that are personal are refused every time, also beside others that are not', () => {
    const { ids } = idsAnd();
    expect(ids.holdPersonal(['one'])).toBe(false);
    for (let i = 0; i < 2; i++) {
      expect(ids.holdPersonal(['x9'])).toBe(true);
      expect(ids.holdPersonal(['one', 'x9'])).toBe(true);
      expect(ids.holdPersonal(['one', 'two', 'x9'])).toBe(true);
    }
  });

  it('that are personal only beside one another are not', () => {
    const { ids } = idsAnd();
    expect(ids.holdPersonal(['a', 'b'])).toBe(false);
  });

  it('are forgotten before they fill the memory, and looked at again', () => {
    const { ids, asked } = idsAnd();
    const many = Array.from({ length: 15_000 }, (_, i) => `x${i.toString(2)}`);
    for (const id of ['first', ...many]) ids.holdPersonal([id]);
    ids.holdPersonal(many.map((id) => `y${id}`));
    const before = asked.length;
    expect(ids.holdPersonal(['first'])).toBe(false);
    expect(asked.length).toBe(before + 1);
  });
});
