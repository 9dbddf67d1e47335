/** Contract suites say so in the title under which an adapter enrols. */
const CONTRACT = /\bcontract\b/;

/**
 * What a run of Jest ran against what, in lines for a person: each contract with the adapters that enrolled in it, and
 * each test that was not run, whose name tells why.
 * @param testResults of Jest's report
 */
export function whatRan(testResults) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const contracts = new Map();
  const left = new Map();
  for (const { ancestorTitles, fullName, status } of tests) {
    const title = ancestorTitles.find((one) => CONTRACT.test(one));
    if (title !== undefined) {
      const counts = contracts.get(title) ?? { passed: 0, failed: 0, pending: 0 };
      counts[status] = (counts[status] ?? 0) + 1;
      contracts.set(title, counts);
    }
    if (status === 'pending') left.set(fullName, (left.get(fullName) ?? 0) + 1);
  }
  return [
    ...section(
      'Contracts, and what kept them:',
      [...contracts].sort(byName).map(([title, counts]) => lineOf(title, counts)),
    ),
    ...section('Not run:', [...left.keys()].sort()),
  ];
}

function section(heading, lines) {
  return lines.length === 0 ? [] : ['', heading, ...lines.map((line) => `  ${line}`)];
}

function lineOf(title, { passed, failed, pending }) {
  const others = [failed > 0 && `${failed} FAILED`, pending > 0 && `${pending} not run`].filter(Boolean);
  return `${title}: ${[`${passed} passed`, ...others].join(', ')}`;
}

function byName([a], [b]) {
  return a < b ? -1 : Number(a > b);
}
