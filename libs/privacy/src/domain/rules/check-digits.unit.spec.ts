import { createHash } from 'node:crypto';

import fc from 'fast-check';
import { stdnum } from 'stdnum';
import validator from 'validator';

import { AU_TFN } from './au-tfn.js';
import { base58Version } from './base58.js';
import { isSegwitAddress } from './bech32.js';
import { CA_SIN } from './ca-sin.js';
import { hasLuhnDigit } from './check-digits.js';
import { isEthereumAddress } from './crypto-wallet.js';
import { DE_TAX_ID } from './de-tax-id.js';
import { hasSpanishLetter } from './es-nif.js';
import { isIban } from './iban.js';
import { IBAN_LENGTHS } from './iban-lengths.js';
import { IN_AADHAAR } from './in-aadhaar.js';
import { isFiscalCode } from './it-fiscal-code.js';
import { keccak256 } from './keccak.js';
import { PL_PESEL } from './pl-pesel.js';
import { isNino } from './uk-nino.js';
import { US_ITIN } from './us-itin.js';

const digits = (length: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
const library = (country: 'GB' | 'ES' | 'IT' | 'DE' | 'PL' | 'AU' | 'IN' | 'CA', name: string) => (text: string) =>
  stdnum[country]?.[name]?.validate(text).isValid === true;

/** Ours and a library's answers, which agree on every number but those for which the library has a known fault. */
function agree(ours: (text: string) => boolean, theirs: (text: string) => boolean, texts: fc.Arbitrary<string>): void {
  fc.assert(
    fc.property(texts, (text) => {
      expect([text, ours(text)]).toEqual([text, theirs(text)]);
    }),
    { numRuns: 3000 },
  );
}

/** Numbers of which one in ten or eleven is right, so that both answers come often. */
describe('check digits', () => {
  it('of payment cards are those of validator', () => {
    agree(hasLuhnDigit, (text) => validator.isLuhnNumber(text), digits(16));
  });

  it('of a SIN are those of stdnum, which takes made-up ones that begin with 0, and businesses, for people', () => {
    agree(
      CA_SIN.isValid,
      library('CA', 'sin'),
      digits(9).filter((text) => /^[1-79]/.test(text)),
    );
    expect([library('CA', 'sin')('046454286'), CA_SIN.isValid('046454286')]).toEqual([true, false]);
  });

  it('of an Aadhaar number are those of stdnum', () => {
    agree(IN_AADHAAR.isValid, library('IN', 'aadhaar'), digits(12));
    expect(IN_AADHAAR.isValid('234123412346')).toBe(true);
  });

  it('of a TFN are those of stdnum; the eight digits of old ones have weights of their own', () => {
    agree(
      AU_TFN.isValid,
      library('AU', 'tfn'),
      digits(9).filter((text) => !/^(\d)\1+$/.test(text)),
    );
    expect([AU_TFN.isValid('81854402'), AU_TFN.isValid('81854403')]).toEqual([true, false]);
  });

  it('of a PESEL are those of stdnum, for births that both know', () => {
    const born = fc.tuple(fc.integer({ min: 20, max: 99 }), fc.integer({ min: 1, max: 12 }), digits(7));
    const numbers = born.map(([year, month, rest]) => `${year}${String(month).padStart(2, '0')}${rest}`);
    agree(PL_PESEL.isValid, library('PL', 'pesel'), numbers);
    expect(PL_PESEL.isValid('02070803628')).toBe(true);
    expect(PL_PESEL.isValid('00023100000')).toBe(false);
  });

  it('of a German tax id are those of stdnum, which takes a digit that stands four times', () => {
    const once = fc.shuffledSubarray([...'0123456789'], { minLength: 9, maxLength: 9 });
    const numbers = fc.tuple(once, fc.nat(8), fc.nat(9), fc.nat(9)).map(([nine, from, to, check]) => {
      const ten = [...nine.slice(0, to), nine[from] ?? '', ...nine.slice(to)];
      return ten.join('') + String(check);
    });
    agree(
      DE_TAX_ID.isValid,
      library('DE', 'idnr'),
      numbers.filter((text) => !/(\d)\1\1/.test(text)),
    );
    expect([library('DE', 'idnr')('11112345678'), DE_TAX_ID.isValid('11112345678')]).toEqual([true, false]);
    expect(['47036892816', '65929970489', '57549285017'].map(DE_TAX_ID.isValid)).toEqual([true, true, true]);
  });

  it('of Spanish numbers are those of stdnum, which asks nothing of those that begin with K, L or M', () => {
    const letter = fc.constantFrom(...'TRWAGMYFPDXBNJZSQVHLCKE');
    const dni = fc.tuple(digits(8), letter).map((parts) => parts.join(''));
    const nie = fc.tuple(fc.constantFrom('X', 'Y', 'Z'), digits(7), letter).map((parts) => parts.join(''));
    agree(hasSpanishLetter, library('ES', 'dni'), dni);
    agree(hasSpanishLetter, library('ES', 'nie'), nie);
    expect([library('ES', 'dni')('K1234567A'), hasSpanishLetter('K1234567A')]).toEqual([true, false]);
    expect(hasSpanishLetter('K1234567L')).toBe(true);
  });

  it('of an Italian code are those of stdnum', () => {
    const row = (signs: string, length: number): fc.Arbitrary<string> =>
      fc.array(fc.constantFrom(...signs), { minLength: length, maxLength: length }).map((all) => all.join(''));
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
    const code = fc
      .tuple(row(letters, 6), digits(2), row('ABCDEHLMPRST', 1), fc.constantFrom('01', '31', '41', '7L', 'LM'))
      .chain(([name, year, month, day]) =>
        fc
          .tuple(row(letters, 1), row('0123456789LMNPQRSTUV', 3), row(letters, 1))
          .map((town) => name + year + month + day + town.join('')),
      );
    agree(isFiscalCode, library('IT', 'codicefiscale'), code);
    expect(isFiscalCode('RSSMRA85T10A562S')).toBe(true);
  });

  it('of an IBAN are those of validator, which does not take the letters in a Belarusian one', () => {
    const iban = fc
      .tuple(
        fc.constantFrom('DE', 'AT', 'ES', 'BE', 'DK', 'FI', 'PL', 'PT', 'NO'),
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
      )
      .chain(([country, number]) => {
        const bban = String(number)
          .padStart(31, '0')
          .slice(-((IBAN_LENGTHS.get(country) ?? 0) - 4));
        const wrong = fc.nat(3).map((off) => (off === 0 ? 1 : 0));
        return wrong.map((off) => `${country}${String(Number(checkOf(country, bban)) + off).padStart(2, '0')}${bban}`);
      });
    agree(isIban, (text) => validator.isIBAN(text), iban);
    expect([validator.isIBAN('BY13NBRB3600900000002Z00AB00'), isIban('BY13NBRB3600900000002Z00AB00')]).toEqual([
      false,
      true,
    ]);
  });

  it('of a NINO there are none: its prefixes are those of stdnum', () => {
    const prefix = fc.stringMatching(/^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]$/);
    agree(
      isNino,
      library('GB', 'nino'),
      prefix.map((letters) => `${letters}123456C`),
    );
  });

  it('of an ITIN there are none: its groups are the ones that the IRS gives out', () => {
    const given = Array.from({ length: 100 }, (_, group) => group).filter((group) =>
      US_ITIN.isValid(`900${String(group).padStart(2, '0')}1234`),
    );
    const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
    expect(given).toEqual([...range(50, 65), ...range(70, 88), ...range(90, 92), ...range(94, 99)]);
  });
});

describe('addresses of crypto wallets', () => {
  it('in base 58 are told by the vectors of Bitcoin, and not where one sign is another', () => {
    expect(base58Version('1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62i')).toBe(0x00);
    expect(base58Version('3CMNFxN1oHBc4R1EpboAL5yzHGgE611Xou')).toBe(0x05);
    expect(base58Version('mo9ncXisMeAoXwqcV5EWuyncbmCcQN4rVs')).toBe(0x6f);
    expect(base58Version('1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62j')).toBeUndefined();
    expect(base58Version('1111111111111111111114oLvT2')).toBe(0x00);
    expect(base58Version('11111111111111111111114oLvT2')).toBeUndefined();
    expect(base58Version('0AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62i')).toBeUndefined();
  });

  it('of BIP 173 and BIP 350 are told by their vectors', () => {
    for (const right of [
      'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
      'BC1SW50QGDZ25J',
      'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    ])
      expect([right, isSegwitAddress(right, 'bc')]).toEqual([right, true]);
    for (const wrong of [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
      'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh',
      'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4',
      'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R',
      'bc1pw5dgrnzv',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav',
      'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
      'bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du',
      'bc1gmk9yu',
      'bc1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
    ])
      expect([wrong, isSegwitAddress(wrong, 'bc')]).toEqual([wrong, false]);
  });

  it('of EIP-55 are told by its vectors, and not where one letter has another case', () => {
    for (const right of [
      '52908400098527886E0F7030069857D2E4169EE7',
      'de709f2102306220921060314715629080e2fb77',
      '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'fB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      'dbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      'D1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    ])
      expect([right, isEthereumAddress(right)]).toEqual([right, true]);
    expect(isEthereumAddress('5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe(false);
  });

  it('hash as Keccak does, not as SHA-3, which pads otherwise', () => {
    const hex = (text: string): string => Buffer.from(keccak256(Buffer.from(text))).toString('hex');
    expect(hex('')).toBe('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
    expect(hex('abc')).toBe('4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45');
    expect(hex('abc')).not.toBe(createHash('sha3-256').update('abc').digest('hex'));
    expect(() => hex('a'.repeat(136))).toThrow(RangeError);
  });
});

/** ISO 13616, annex A: 98 minus what the BBAN, the country and 00 leave over modulo 97. */
function checkOf(country: string, bban: string): string {
  const number = [...`${bban}${country}00`].map((sign) => String(parseInt(sign, 36))).join('');
  return String(98n - (BigInt(number) % 97n)).padStart(2, '0');
}
