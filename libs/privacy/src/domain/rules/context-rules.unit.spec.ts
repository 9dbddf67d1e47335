import { detect } from '../../index.js';

const typesIn = (text: string, context?: string): string[] =>
  detect(text, context === undefined ? {} : { context }).map(
    ({ type, start, end }) => `${type} ${text.slice(start, end)}`,
  );

describe('a number that a word near it names', () => {
  it('is found after the word and before it, within about five words', () => {
    expect(typesIn('passport number C01X0006H')).toEqual(['passport C01X0006H']);
    expect(typesIn('C01X0006H is the number of my passport')).toEqual(['passport C01X0006H']);
    expect(typesIn('passport one two three four five C01X0006H')).toHaveLength(1);
    expect(typesIn('passport one two three four five six seven C01X0006H')).toEqual([]);
  });

  it('belongs to the word that is nearest to it', () => {
    expect(typesIn('my bank account, order 48291736')).toEqual([]);
    expect(typesIn('Order 48291736. My bank account is 87654321')).toEqual(['bank_account 87654321']);
    expect(typesIn('passport renewal case 482910337')).toEqual([]);
  });

  it('is followed by others of its kind in a list', () => {
    expect(typesIn('account numbers 12345678 and 87654321')).toEqual([
      'bank_account 12345678',
      'bank_account 87654321',
    ]);
  });

  it('is no date, no amount and no count', () => {
    expect(typesIn('passport expires on 20290115')).toEqual([]);
    expect(typesIn('account balance 10482.55')).toEqual([]);
    expect(typesIn('my bank account has 1048255 EUR')).toEqual([]);
    expect(typesIn('we opened 12345678 bank accounts')).toEqual([]);
    expect(typesIn('medical record system with 4829103 patients')).toEqual([]);
  });

  it('is named by the key that it stands under', () => {
    expect(typesIn('48291037', 'bank account')).toEqual(['bank_account 48291037']);
    expect(typesIn('48291037', 'order')).toEqual([]);
    expect(typesIn('4829103', 'mrn')).toEqual(['medical_record 4829103']);
  });
});

describe('the lines of a passport that machines read', () => {
  const NUMBER_LINE = 'L898902C36UTO7408122F1204159ZE184226B<<<<<10';

  it('are found by their form and check digits, without a word', () => {
    expect(typesIn(NUMBER_LINE)).toEqual([`passport ${NUMBER_LINE}`]);
    expect(typesIn('P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<')).toHaveLength(1);
  });

  it('are none with one wrong check digit, or of another length', () => {
    for (const at of [1, 13, 21]) {
      const digit = NUMBER_LINE.charAt(at) === '1' ? '2' : '1';
      expect(typesIn(NUMBER_LINE.slice(0, at) + digit + NUMBER_LINE.slice(at + 1))).toEqual([]);
    }
    expect(typesIn(NUMBER_LINE.slice(1))).toEqual([]);
  });
});

describe('a diagnosis', () => {
  it('is of a person in particular', () => {
    expect(typesIn('My mother was diagnosed with asthma')).toEqual(['medical_diagnosis asthma']);
    expect(typesIn('people diagnosed with asthma should not smoke')).toEqual([]);
    expect(typesIn('diabetes is a disease')).toEqual([]);
    expect(typesIn('my dog has diabetes')).toEqual([]);
  });

  it('is told, not asked', () => {
    expect(typesIn('I have diabetes')).toEqual(['medical_diagnosis diabetes']);
    expect(typesIn('Do I have diabetes?')).toEqual([]);
    expect(typesIn('if I have diabetes, what then?')).toEqual([]);
  });

  it('is an illness and no fault of a program', () => {
    expect(typesIn('he was diagnosed as a problem in the code')).toEqual([]);
    expect(typesIn('we suffer from memory leaks')).toEqual([]);
    expect(typesIn('diagnosis: disk full')).toEqual([]);
  });

  it('may be a code near a word that says so', () => {
    expect(typesIn('ICD-10: F32.1')).toEqual(['medical_diagnosis F32.1']);
    expect(typesIn('flight F32.1')).toEqual([]);
  });

  it('covers the words that describe the illness', () => {
    expect(typesIn('she has stage 3 lung cancer')).toEqual(['medical_diagnosis stage 3 lung cancer']);
    expect(typesIn('I was diagnosed with diabetes type 2 in May')).toEqual(['medical_diagnosis diabetes type 2']);
  });
});

describe('biometric data', () => {
  it('is data beside the word, never the word', () => {
    expect(typesIn('fingerprint template A94F3B2270C1D8E5')).toEqual(['biometric A94F3B2270C1D8E5']);
    expect(typesIn('what is a fingerprint template?')).toEqual([]);
  });

  it('is no fingerprint of a key, a file or a browser', () => {
    expect(typesIn('SSH key fingerprint A94F3B2270C1D8E5')).toEqual([]);
    expect(typesIn('browser fingerprint A94F3B2270C1D8E5')).toEqual([]);
  });

  it('may be a vector of a face, and is none of a word', () => {
    expect(typesIn('face embedding [0.1, -0.2, 0.3]')).toEqual(['biometric [0.1, -0.2, 0.3]']);
    expect(typesIn('word embedding [0.1, -0.2, 0.3]')).toEqual([]);
  });
});

describe('a postal address', () => {
  it('has a street, a number, and a town or a code', () => {
    expect(typesIn('12 Oak Street, Portland, OR 97201')).toHaveLength(1);
    expect(typesIn('17 Rosebery Avenue, London EC1R 4SP')).toHaveLength(1);
    expect(typesIn('Lindenstraße 14, 50674 Köln')).toHaveLength(1);
    expect(typesIn('12 Oak Street')).toEqual([]);
    expect(typesIn('Lindenstraße 14')).toEqual([]);
    expect(typesIn('Portland, OR 97201')).toEqual([]);
  });

  it('does not begin with the words before its street, and takes its flat in', () => {
    expect(typesIn('ich wohne in der Lindenstraße 14, 50674 Köln')).toEqual([
      'postal_address Lindenstraße 14, 50674 Köln',
    ]);
    expect(typesIn('at Flat 3, 27 Abbey Road, London NW8 9AY')).toEqual([
      'postal_address Flat 3, 27 Abbey Road, London NW8 9AY',
    ]);
  });
});

describe('a name and an interest', () => {
  it('are found where somebody introduces himself, and low', () => {
    expect(detect("je m'appelle Jean-Luc").map(({ type, category }) => [type, category])).toEqual([
      ['first_name', 'low'],
    ]);
    expect(detect('I like rock climbing').map(({ type, category }) => [type, category])).toEqual([['interest', 'low']]);
  });

  it('are not found in a name alone, in a question or in a courtesy', () => {
    for (const text of [
      'Jean-Luc',
      'what is my name?',
      'my name is not important',
      'I would like to know',
      'I like it',
    ])
      expect(typesIn(text)).toEqual([]);
  });
});
