import { detect } from '../../detection.js';

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

describe('what notes and other phrasings say of a person', () => {
  it('is found where the person is left out and the sentence ends with the illness', () => {
    expect(typesIn('Suffers from chronic migraines.')).toEqual(['medical_diagnosis chronic migraines']);
    expect(typesIn('History of asthma.')).toEqual(['medical_diagnosis asthma']);
    expect(typesIn('Living with HIV since 2009.')).toEqual(['medical_diagnosis HIV']);
    for (const text of ['Living with diabetes: a guide', 'History of cancer research', 'Suffers from slow tests.'])
      expect(typesIn(text)).toEqual([]);
  });

  it('is found after a verb of getting or bearing it, and not in what is made against it', () => {
    expect(typesIn('she contracted hepatitis in 2018')).toEqual(['medical_diagnosis hepatitis']);
    expect(typesIn('er lebt mit HIV')).toEqual(['medical_diagnosis HIV']);
    for (const text of ['we developed diabetes software', 'Doctors fight cancer every day', 'er lebt mit seiner Frau'])
      expect(typesIn(text)).toEqual([]);
  });

  it('is found where a test of somebody for it was positive, and not where it is asked or taught', () => {
    for (const [text, name] of [
      ['My HIV test came back positive.', 'HIV'],
      ['my covid test was positive', 'covid'],
      ['mein HIV-Test war positiv', 'HIV'],
      ['mi prueba de VIH dio positivo', 'VIH'],
      ['mon test VIH est revenu positif', 'test VIH'],
      ['il mio test HIV è risultato positivo', 'test HIV'],
      ['he was diagnosed w/ MS', 'MS'],
      ['He was dx’d w/ MS last spring', 'MS'],
      ['she was diagnosed w/ lupus', 'lupus'],
      ['Sono sieropositivo', 'sieropositivo'],
    ] as const)
      expect([text, typesIn(text)]).toEqual([text, [`medical_diagnosis ${name}`]]);
    for (const text of [
      'What does it mean when an HIV test came back positive?',
      'my unit test was positive',
      'the feedback on my diabetes app was positive',
      'My pH test came back positive.',
      'people whose covid test was positive',
    ])
      expect([text, typesIn(text)]).toEqual([text, []]);
  });

  it('does not take an article for a pronoun, nor an illness for a person', () => {
    expect(typesIn("j'ai reçu un diagnostic de schizophrénie")).toEqual(['medical_diagnosis schizophrénie']);
    for (const text of [
      'Le diagnostic de la sclérose en plaques repose sur une image',
      'El diagnóstico de la diabetes requiere un análisis',
      'Autism is diagnosed with questionnaires',
    ])
      expect(typesIn(text)).toEqual([]);
  });
});

describe('a value that is written otherwise', () => {
  it('is a passport number with its check digit, or an account in groups', () => {
    expect(typesIn('Reisepass: C01X0006H3')).toEqual(['passport C01X0006H3']);
    expect(typesIn('mi cuenta es la 2100 0418 45')).toEqual(['bank_account 2100 0418 45']);
  });

  it('is no account where a program declares it', () => {
    expect(typesIn('const account = 12345678;')).toEqual([]);
    expect(typesIn('account = 12345678;')).toEqual(['bank_account 12345678']);
  });

  it('is no name in a welcome, and no interest in what somebody wants to have', () => {
    expect(typesIn('my name: Grace')).toEqual(['first_name Grace']);
    expect(typesIn('Hobbies: astronomy')).toEqual(['interest astronomy']);
    for (const text of ['ich heiße Sie willkommen', "I'm interested in the position", 'Interests: none'])
      expect(typesIn(text)).toEqual([]);
  });
});

describe('what belongs to somebody', () => {
  it('has no illness where it is a thing or a profession', () => {
    for (const text of ['My project has been diagnosed with scope creep.', 'He is a diabetes educator.'])
      expect(typesIn(text)).toEqual([]);
    expect(typesIn("she is living with Parkinson's for a decade")).toEqual(["medical_diagnosis Parkinson's"]);
  });

  it('may be a template in pairs of hexadecimal digits', () => {
    expect(typesIn('fingerprint data 46 4D 52 00 20 32 30 00')).toEqual(['biometric 46 4D 52 00 20 32 30 00']);
  });
});

describe('what stands beside a value', () => {
  it('names it as a column or a member of a program does', () => {
    expect(typesIn('tax_file_number = 971883503')).toEqual(['au_tfn 971883503']);
    expect(typesIn('{"socialInsuranceNumber":"453201766"}')).toEqual(['ca_sin 453201766']);
  });

  it('says that four numbers are a version and no address', () => {
    expect(typesIn('upgraded the library from 11.2.3.4 to 11.2.3.5')).toEqual([]);
    expect(typesIn('moved the site from 11.2.3.4 to 11.2.3.5')).toHaveLength(2);
  });

  it('says whose a fingerprint is', () => {
    const hex = '9c8b7a6f5e4d3c2b9c8b7a6f5e4d3c2b';
    expect(typesIn(`fingerprint template ${hex}`)).toEqual([`biometric ${hex}`]);
    expect(typesIn(`fingerprint of the certificate: SHA256:${hex}`)).toEqual([]);
    expect(typesIn('fingerprint: 3A:5B:9C:11:3A:5B:9C:11:3A:5B:9C:11:3A:5B:9C:11')).toEqual([]);
  });

  it('says that an illness is somebody’s, and of each in a list', () => {
    expect(typesIn('The biopsy confirmed lymphoma.')).toEqual(['medical_diagnosis lymphoma']);
    expect(typesIn('Conditions: hypertension, gout')).toEqual([
      'medical_diagnosis hypertension',
      'medical_diagnosis gout',
    ]);
    expect(typesIn('The study confirmed that asthma is common.')).toEqual([]);
    expect(typesIn('My zodiac sign is Cancer.')).toEqual([]);
  });

  it('says that somebody gives a name, where it begins a text or follows a greeting', () => {
    expect(typesIn('Hi, I’m Sophie!')).toEqual(['first_name Sophie']);
    expect(typesIn('I’m German and live in Paris.')).toEqual([]);
  });

  it('makes pieces of a card’s number nothing else', () => {
    expect(typesIn('please save my mastercard 5419 0057 4639 3464')).toEqual(['payment_card 5419 0057 4639 3464']);
  });
});
