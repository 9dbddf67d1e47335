import { detect, detectInPayload } from '../detection.js';

/** What a text holds, as its types and words. */
const foundIn = (text: string): readonly (readonly [string, string])[] =>
  detect(text).map(({ type, start, end }) => [type, text.slice(start, end)]);

describe('an address of mail that is told by mouth', () => {
  it.each([
    ['joe at gmail five dot com', 'joe at gmail five dot com'],
    ['write to john five at gmail dot com', 'john five at gmail dot com'],
    ['anna at one two three dot com', 'anna at one two three dot com'],
    ['my mail is five at five dot com', 'five at five dot com'],
    ['bob underscore lee at acme dot org', 'bob underscore lee at acme dot org'],
    ['paul minus k at gmx dot de', 'paul minus k at gmx dot de'],
    ['lena bindestrich b at posteo punkt de', 'lena bindestrich b at posteo punkt de'],
    ['bob at acme hyphen corp dot com', 'bob at acme hyphen corp dot com'],
    ['lars (ät) posten (punkt) no', 'lars (ät) posten (punkt) no'],
    ['peter#at#web#dot#de', 'peter#at#web#dot#de'],
    ['name.x-at-posteo.net', 'name.x-at-posteo.net'],
    ['anna99.at.gmail.com', 'anna99.at.gmail.com'],
    ['user@[198.41.0.4]', 'user@[198.41.0.4]'],
    ['user@[IPv6:2a00:1450:4001:81b::200e]', 'user@[IPv6:2a00:1450:4001:81b::200e]'],
  ])('is found whole in %j', (text, address) => {
    expect(foundIn(text)).toContainEqual(['email', address]);
  });

  it.each([
    'we met at five dot com conferences',
    'arrive-at-noon.md',
    'mail-at-posteo.net',
    'v2.1-at-scale.io',
    'it was valued at nine dot com multiples',
    'look at all five dot com bubbles',
    'arrived at gate five',
    'seven at three dot',
    'user@[10.0.0.7]',
    'root@[::1]',
    'a[at] b[dot]',
    'five at night, six in the morning',
  ])('is none in %j', (text) => {
    expect(foundIn(text)).toEqual([]);
  });
});

describe('four numbers', () => {
  it.each([
    'the packages come from IP 1.2.3.4',
    'patch the host at ip 1.2.3.4',
    'since yesterday my IP is 1.2.3.4',
    'fixed in the firewall: ip 1.2.3.4 is blocked',
    'kernel: IN=eth0 SRC=1.2.3.4 DST=10.0.0.1',
    'patched server IP: 1.2.3.4',
    'released IP address 1.2.3.4 to the pool',
    'dhcp: released 1.2.3.4',
    'item 1.2.3.4 is my IP address',
    'seit dem Update lautet die IP-Adresse 1.2.3.4',
    'tras el parche mi dirección IP es 1.2.3.4',
  ])('are a host where the text says so: %j', (text) => {
    expect(foundIn(text)).toEqual([['ip_address', '1.2.3.4']]);
  });

  it.each([
    'software 1.2.3.4',
    'the changelog of 4.5.6.7 lists ip changes',
    'requirement 1.2.3.4 traces to test 4.3.2.1',
    'WBS 1.2.3.4 Foundations',
    'Order 1.2.3.4 of the sequence 1.2.3.4.5',
    'see 3.4.5.6 for the IP licence',
    'The IP clause, 4.1.2.3, was dropped',
    'ip v1.2.3.4',
    'kernel 1.2.3.4',
  ])('are a place or a release in %j', (text) => {
    expect(foundIn(text)).toEqual([]);
  });

  it('are a host behind what software may have, too', () => {
    expect(foundIn('test 81.2.69.142')).toEqual([['ip_address', '81.2.69.142']]);
  });
});

it('a record’s number has the letter behind its stroke', () => {
  expect(foundIn('numéro de dossier médical 88412-B')).toEqual([['medical_record', '88412-B']]);
});

it('a name that is irrelevant is none', () => {
  expect(foundIn('my landlord’s name is irrelevant')).toEqual([]);
});

describe('names of numbers', () => {
  it.each([
    ['passport № 71 4829103', 'passport', '71 4829103'],
    ['Passport: 64 9920174', 'passport', '64 9920174'],
    ['paspoortnummer NX4R72KP1', 'passport', 'NX4R72KP1'],
    ['numer paszportu EK7391824', 'passport', 'EK7391824'],
    ['número do passaporte CB829174', 'passport', 'CB829174'],
    ['My social is 796802264, thanks', 'us_ssn', '796802264'],
    ['Med rec # 7719283', 'medical_record', '7719283'],
    ['med. rec. no. 7719283', 'medical_record', '7719283'],
    ['Hx: type 2 diabetes', 'medical_diagnosis', 'type 2 diabetes'],
    ['rekeningnummer 482917364', 'bank_account', '482917364'],
    ['numer konta 48291736', 'bank_account', '48291736'],
  ])('are read in %j', (text, type, value) => {
    expect(foundIn(text)).toContainEqual([type, value]);
  });

  it.each([
    'my social media has 796802264 views',
    'passport control handled 71 4829 people',
    'recorded 7719283 times',
    'Hx: none known',
  ])('are none in %j', (text) => {
    expect(foundIn(text)).toEqual([]);
  });
});

it('a house has a letter behind its dash', () => {
  expect(foundIn('45-B Queens Parade, Bristol BS1 5XJ')).toEqual([
    ['postal_address', '45-B Queens Parade, Bristol BS1 5XJ'],
  ]);
});

it('an address of mail goes on in the next line, whatever country it ends in', () => {
  expect(foundIn('o.bru@\nfastmail.fm')).toEqual([['email', 'o.bru@\nfastmail.fm']]);
});

it('a member named `v` or `ver` holds a release', () => {
  for (const key of ['v', 'ver', 'semver']) expect(detectInPayload({ [key]: '1.2.3.4' })).toEqual([]);
  expect(detectInPayload({ vip: '81.2.69.142' })).toHaveLength(1);
});
