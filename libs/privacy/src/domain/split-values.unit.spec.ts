import { detectInPayload } from '../detection.js';

function placesIn(payload: unknown): readonly string[] {
  return detectInPayload(payload).map(
    ({ pointer, finding: { type, start, end } }) => `${pointer} ${type} ${start}-${end}`,
  );
}

describe('values beside each other', () => {
  it('are one number where they are its pieces, and each is a finding', () => {
    expect(placesIn({ note: ['4111', '1111', '1111', '1111'] })).toEqual([
      '/note/0 payment_card 0-4',
      '/note/1 payment_card 0-4',
      '/note/2 payment_card 0-4',
      '/note/3 payment_card 0-4',
    ]);
    expect(placesIn(['my card: 4111 1111', '1111 1111, thanks'])).toEqual([
      '/0 payment_card 9-18',
      '/1 payment_card 0-9',
    ]);
  });

  it.each<[string, unknown]>([
    ['payment_card', [4111, 1111, 1111, 1111]],
    ['payment_card', [...'4111111111111111']],
    ['payment_card', [...'4111 1111 1111 1111']],
    ['payment_card', { a: '4111', b: '1111', c: '1111', d: '1111' }],
    ['payment_card', { part_1: '4111', part_2: '1111', part_3: '1111', part_4: '1111' }],
    ['payment_card', { first: '4111', second: '1111', third: '1111', fourth: '1111' }],
    ['payment_card', ['4111', '1111', '1111', '1111', '12/27', '123']],
    ['us_ssn', { ssn: ['536', '22', '8145'] }],
    ['us_ssn', { ssn: [...'536228145'] }],
    ['us_ssn', { ssn: { area: '536', group: '22', serial: '8145' } }],
    ['us_ssn', { ssn_area: '536', ssn_group: '22', ssn_serial: '8145' }],
    ['us_ssn', { value: ['536', '22', '8145'], note: 'my social security number' }],
    ['us_ssn', { lines: ['my SSN is 536-22', '-8145, as you asked'] }],
    ['iban', ['DE89', '3704', '0044', '0532', '0130', '00']],
    ['iban', { country: 'DE', check: '89', bban: '370400440532013000' }],
    ['email', ['anna', '@', 'gmail.com']],
    ['email', ['write to anna@', 'gmail.com']],
    ['email', [...'anna@gmail.com']],
    ['phone', ['+49', '151', '23456789']],
    ['email', { first: 'anna@gmail', second: '.com' }],
    ['email', { user: 'anna.k', domain: 'posteo.de' }],
    ['email', { contact: { localPart: 'anna', domainPart: 'firm-x.com' } }],
    ['email', { mailbox: 'anna', domain: '@firm-x', tld: '.com' }],
    ['email', { mail_user: 'anna', mail_host: 'firm-x.com' }],
    ['email', { email: ['anna', 'firm-x.com'] }],
    ['email', { email: { name: 'anna', at: 'firm-x.com' } }],
    ['phone', { phone: { country: '+49', number: '30901820' } }],
    ['phone', { mobile: { cc: 49, area: 30, number: 901820 } }],
    ['phone', { area_code: '212', number: '736-5000' }],
    ['postal_address', { strasse: 'Hauptstr.', hausnummer: '12', plz: '10115', ort: 'Berlin' }],
    ['postal_address', { number: 1428, street: 'Elm Street', city: 'Springwood', state: 'OH', zip: '45402' }],
  ])('are %s in %j', (type, payload) => {
    const types = new Set(detectInPayload(payload).map(({ finding }) => finding.type));
    expect([...types]).toEqual([type]);
  });

  it.each<[unknown]>([
    [[4000, 5000, 6000, 7000]],
    [['5432', '3306', '6379', '8080']],
    [[4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
    [{ width: 4111, height: 1111, left: 1111, top: 1111 }],
    [{ card: { last4: '4111', exp: '1227', zip: '62704' } }],
    [{ sold: '536', left: '22', price: '8145' }],
    [['536', '22', '8145']],
    [{ accounts: ['1200', '3400', '4100', '8400'] }],
    [{ ssns_checked: 536, failed: 22, total: 8145 }],
    [{ version: ['4', '17', '21'], build: ['2024', '11', '23'] }],
    [{ date: { year: 1985, month: 3, day: 18 } }],
    [{ position: { lat: '52.5200', lng: '13.4050' } }],
    [{ uuid: ['550e8400', 'e29b', '41d4', 'a716', '446655440000'] }],
    [{ hosts: ['10.0.0.1', '10.0.0.2', '10.0.0.3'] }],
    [['red', 'green', 'blue', '42']],
    [{ handles: ['@anna', '@bob', '@carl'] }],
    [{ size: ['S', 'M', 'L'], count: ['10', '20', '30'] }],
    [{ isbn: ['978', '3', '16', '148410', '0'] }],
    [{ scores: ['21-19', '18-21', '21-17'] }],
    [Array.from({ length: 200 }, (_, nth) => 4111 + nth * 7919)],
    [{ user: 'anna', domain: 'example.com' }],
    [{ user: 'alice', domain: 'physics' }],
    [{ user: 'deploy', host: 'build.firm-x.com' }],
    [{ author: 'anna', domain: 'wikipedia.org' }],
    [{ area: '212', number: '736-5000' }],
    [{ country: 'DE', number: '30901820' }],
    [{ street: 'Hauptstr.', number: '12' }],
    [{ city: 'Berlin', number: '12' }],
    [{ contact: ['anna', 'none'] }],
    [{ version: '1.2.3.4' }],
    [{ app: { kernelVersion: '5.15.0.91', build: 'v10.0.19.45' } }],
  ])('are what they are one by one in %j', (payload) => {
    expect(placesIn(payload)).toEqual([]);
  });
});
