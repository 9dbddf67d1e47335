import { detect, detectInPayload } from '../detection.js';

const found = (text: string, context = ''): readonly string[] =>
  detect(text, { context }).map(({ type, start, end }) => `${type}: ${text.slice(start, end)}`);

describe('numbers inside and beside one another', () => {
  it.each([
    'DK5000400440116243',
    'DK50 0040 0440 1162 43',
    'IE29 AIBK 9311 5212 3456 78',
    'CZ65 0800 0000 1920 0014 5399',
  ])('are an IBAN and nothing of its digits: %s', (iban) => {
    expect(found(iban)).toEqual([`iban: ${iban}`]);
  });

  it('are a card where it stands beside an IBAN', () => {
    expect(found('DE89 3704 0044 0532 0130 00, 4111 1111 1111 1111')).toEqual([
      'iban: DE89 3704 0044 0532 0130 00',
      'payment_card: 4111 1111 1111 1111',
    ]);
  });

  it.each(['1 85 05 78 006 084 36', '1850578006084 36', '2 84 11 75 116 001 42'])(
    'are no American number where they are pieces of a French one: %s',
    (number) => {
      expect(found(`numéro de sécurité sociale ${number}`)).toEqual([]);
    },
  );

  it.each([
    ['mon numéro de compte est 05000130016', 'bank_account: 05000130016'],
    ['mon numéro de téléphone est 06 12 34 56 78', 'phone: 06 12 34 56 78'],
    ['il mio numero di conto è 05000130016', 'bank_account: 05000130016'],
    ['il mio numero di telefono è 347 123 4567', 'phone: 347 123 4567'],
  ])('are what the whole of their name says: %s', (text, expected) => {
    expect(found(text)).toEqual([expected]);
  });

  it.each(['SKU 482-917-3645', 'reference 829-173-645', 'part number 482-91-7364-x', 'Artikelnummer: 829-173-645'])(
    'are nobody’s where they are the number of a thing: %s',
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );
});

describe('addresses of devices', () => {
  it.each([
    ['ssh root@8.121.213.25', 'ip_address: 8.121.213.25'],
    ['from 8.008.008.008', 'ip_address: 8.008.008.008'],
  ])('are found in %s', (text, expected) => {
    expect(found(text)).toEqual([expected]);
  });

  it.each(['npm i a@4.17.21', '192.168.001.001', '{"version": "1.2.3.4"}', 'v8.121.213.25'])(
    'are not seen in %s',
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );
});

describe('words that lead straight to what they name', () => {
  it.each([
    ['account 12345678', 'bank_account: 12345678'],
    ['Account: 12345678', 'bank_account: 12345678'],
    ['compte n° 12345678', 'bank_account: 12345678'],
    ['test results: HIV positive', 'medical_diagnosis: HIV positive'],
    ['Baker Street 221b, London', 'postal_address: Baker Street 221b, London'],
  ])('are enough: %s', (text, expected) => {
    expect(found(text)).toEqual([expected]);
  });

  it.each(['github account 12345678', 'account 42', 'test results: 48 passed', 'Wall Street 1987, London'])(
    'name nothing personal in %s',
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );

  it.each(['12 Baker Street', 'Baker Street 12', 'Musterstraße 12'])(
    'may be the key above a street: %s is an address there and nowhere else',
    (street) => {
      expect(detectInPayload({ address: street }).map(({ finding }) => finding.type)).toEqual(['postal_address']);
      expect(detectInPayload({ title: street })).toEqual([]);
    },
  );
});
