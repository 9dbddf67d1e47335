import { detect, detectInPayload } from './detection.js';
import { PRIVACY_DEFAULTS } from './domain/privacy-policy.js';
import { followPrivacyPolicy } from './policy-in-force.js';

const LONDON = '020 7946 0958';
const NAMED = 'My name is Sophie';
const found = (text: string): readonly string[] => detect(text).map(({ type, category }) => `${type} ${category}`);

afterEach(() => followPrivacyPolicy(PRIVACY_DEFAULTS));

it('finds national numbers of the regions that the policy in force names, from then on', () => {
  expect(found(LONDON)).toEqual([]);
  followPrivacyPolicy({ ...PRIVACY_DEFAULTS, phone_regions: ['GB'] });
  expect(found(LONDON)).toEqual(['phone medium']);
  expect(detectInPayload({ note: LONDON })).toMatchObject([{ pointer: '/note', finding: { type: 'phone' } }]);
  expect(detect('415-555-2671')).toEqual([]);
});

it('gives each finding the category that the policy in force gives its type, in payloads too', () => {
  expect(found(NAMED)).toEqual(['first_name low']);
  followPrivacyPolicy({ ...PRIVACY_DEFAULTS, categories: { ...PRIVACY_DEFAULTS.categories, first_name: 'medium' } });
  expect(found(NAMED)).toEqual(['first_name medium']);
  expect(detectInPayload([NAMED]).map(({ finding }) => finding.category)).toEqual(['medium']);
});
