import fc from 'fast-check';
import { getExampleNumber, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import metadata from 'libphonenumber-js/max/metadata';
import { numberingPlans } from './phone-plans.js';

const plans = numberingPlans(metadata);
const REGIONS = Object.keys(examples) as CountryCode[];

describe('the numbering plans', () => {
  it.each(REGIONS)('know the library’s own example of %s, in both forms', (region) => {
    const example = getExampleNumber(region, examples);
    expect(example).toBeDefined();
    expect(plans.international(example?.number.slice(1) ?? '')).toBeDefined();
    expect(plans.national(region, example?.nationalNumber ?? '')).toBeDefined();
  });

  it('know a number that is dialled with a carrier’s prefix', () => {
    expect(plans.international('55909123453617')).toEqual({ callingCode: '55', national: '9123453617' });
  });

  it('know the mobile digit that Mexico gave up', () => {
    expect(plans.international('5215512345678')).toEqual({ callingCode: '52', national: '5512345678' });
  });

  it('hold for valid whatever the library’s parser holds for valid', () => {
    const codes = fc.constantFrom(
      '1',
      '44',
      '49',
      '33',
      '39',
      '34',
      '91',
      '61',
      '7',
      '81',
      '86',
      '55',
      '800',
      '999',
      '380',
      '41',
    );
    fc.assert(
      fc.property(codes, fc.stringMatching(/^[1-9]\d{5,11}$/), (code, rest) => {
        const number = parsePhoneNumberFromString(`+${code}${rest}`);
        const valid = number?.isValid() ?? false;
        const ours = plans.international(code + rest);
        // Ours knows no leading-digit subtleties between regions that share a code: it may say yes once more, never no.
        if (valid) expect(ours).toBeDefined();
      }),
      { numRuns: 5000 },
    );
  });
});
