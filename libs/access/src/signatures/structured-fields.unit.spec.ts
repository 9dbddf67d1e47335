import fc from 'fast-check';

import { parseDictionary, StructuredFieldError } from './structured-fields.js';

describe('a structured field', () => {
  it('is read as a dictionary of inner lists, byte sequences and bare items, each with parameters', () => {
    const members = parseDictionary('a=("x" "y";req;n=-3);t=?0;s="q\\"" ,\tb=:AQID:, c, d=token/1;*p');
    expect([...members.keys()]).toEqual(['a', 'b', 'c', 'd']);
    expect(members.get('a')).toEqual({
      value: [
        { value: 'x', parameters: new Map() },
        {
          value: 'y',
          parameters: new Map<string, unknown>([
            ['req', true],
            ['n', -3],
          ]),
        },
      ],
      parameters: new Map<string, unknown>([
        ['t', false],
        ['s', 'q"'],
      ]),
    });
    expect(members.get('b')!.value).toEqual(Buffer.from([1, 2, 3]));
    expect(members.get('c')!.value).toBe(true);
    expect(members.get('d')).toEqual({ value: 'token/1', parameters: new Map([['*p', true]]) });
    expect(parseDictionary('').size).toBe(0);
  });

  it('takes the last of two members with one name', () => {
    expect(parseDictionary('a=1, a=2').get('a')!.value).toBe(2);
  });

  it.each(['a=(', 'a=("x""y")', 'a=1,', ',', 'A=1', 'a=:A', 'a="x', 'a=1 b=2', 'a=(("x"))', 'a=;x', 'a="é"'])(
    'is refused where it is none: %s',
    (text) => expect(() => parseDictionary(text)).toThrow(StructuredFieldError),
  );

  it('is either read or refused, whatever it is', () => {
    const characters = fc.constantFrom(...'ab=(" );:,?01\\*AQ== \t');
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 40 }), (text) => {
        try {
          return parseDictionary(text).size >= 0;
        } catch (error) {
          return error instanceof StructuredFieldError;
        }
      }),
      { numRuns: 2000 },
    );
  });
});
