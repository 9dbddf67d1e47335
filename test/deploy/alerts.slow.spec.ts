import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stringify } from 'yaml';

import { JobApp } from '../support/job-app.js';
import { yamlFile } from './files.js';

const ALERTS = 'deploy/prometheus/alerts.yaml';
const TESTS = 'deploy/prometheus/alerts.test.yaml';
const DASHBOARD = 'deploy/grafana/mace.json';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string }[];
}

const rules = yamlFile<{ groups: readonly { rules: readonly Rule[] }[] }>(ALERTS).groups.flatMap(
  (group) => group.rules,
);
const { panels, templating } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
  panels: readonly Panel[];
  templating: { list: readonly { name: string }[] };
};
const drawn = panels.filter(({ type }) => type !== 'row');
/** As Prometheus gets it from Grafana. */
const asked = (expr: string): string => expr.replaceAll('$__rate_interval', '5m').replaceAll('"$instance"', '".*"');
const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...drawn.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, asked(expr)] as const)),
];

const WORDS = new Set(
  'sum max min count avg topk by without on ignoring and or unless offset rate increase changes histogram_quantile absent'.split(
    ' ',
  ),
);
/** What Prometheus says of itself and the targets, and labels that it adds. */
const OF_PROMETHEUS = ['instance', 'le'];

/** Metrics that an expression names, and its labels: in matchers and in what it is grouped by. */
function namesIn(expr: string): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const labels: string[] = [];
  const bare = expr
    .replace(/\{([^}]*)\}/g, (_, matchers: string) => {
      labels.push(...[...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label!));
      return '';
    })
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, names: string) => {
      labels.push(...names.split(',').map((name) => name.trim()));
      return '';
    })
    .replace(/\[[^\]]*\]|\b[0-9]+[smhd]\b/g, '');
  const metrics = [...bare.matchAll(/[A-Za-z_:][A-Za-z0-9_:]*/g)]
    .map(([word]) => word)
    .filter((word) => !WORDS.has(word));
  return { metrics, labels };
}

describe('alerts and the dashboard', () => {
  /** Names of series, by their metric, as the running registry has them. */
  let exposed: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const app = await JobApp.open();
    try {
      const { payload } = await app.parts.app.fastify.inject({ method: 'GET', url: '/metrics' });
      const types = [...payload.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!] as const);
      exposed = new Map(
        types.flatMap(([name, type]) =>
          type === 'histogram'
            ? ['_bucket', '_sum', '_count'].map((end) => [name + end, name] as const)
            : [[name, name]],
        ),
      );
    } finally {
      await app.dispose();
    }
  });

  it.each(queries)('%s asks for figures that /metrics has', (_, expr) => {
    const { metrics } = namesIn(expr);
    expect(metrics.length).toBeGreaterThan(0);
    for (const metric of metrics) expect([...exposed.keys()]).toContain(metric);
  });

  it.each(queries)('%s asks by labels that docs/operations.md names for one of its metrics', (_, expr) => {
    const { metrics, labels } = namesIn(expr);
    const rows = readFileSync('docs/operations.md', 'utf8').split('\n');
    const documented = metrics.flatMap((metric) => {
      const row = rows.find((line) => line.startsWith(`| \`${exposed.get(metric)}\` |`));
      return [...(row?.split('|')[3] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, label]) => label!);
    });
    for (const label of labels) expect([...documented, ...OF_PROMETHEUS]).toContain(label);
  });

  it('would tell a figure and a label that are not there', () => {
    const { metrics, labels } = namesIn('sum by (nobody) (rate(mace_appends_totl{outcom="failed"}[5m])) > 0');
    expect(metrics).toEqual(['mace_appends_totl']);
    expect(labels).toEqual(['outcom', 'nobody']);
    expect(exposed.has('mace_appends_totl')).toBe(false);
  });
});

describe('each alert', () => {
  const text = readFileSync('docs/operations.md', 'utf8');
  const sections = new Map(
    text.split(/^### /m).map((section) => [section.split('\n', 1)[0]!.toLowerCase(), section] as const),
  );

  it('has a name of its own', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s says what, what it means, and what to do',
    (name, rule) => {
      expect(['critical', 'warning']).toContain(rule.labels['severity']);
      expect(Object.keys(rule.annotations).sort()).toEqual(['description', 'runbook_url', 'summary']);
      const [file, anchor] = rule.annotations['runbook_url']!.split('#');
      expect([file, anchor]).toEqual(['docs/operations.md', name.toLowerCase()]);
      expect(sections.get(anchor!)?.length).toBeGreaterThan(name.length + 40);
    },
  );

  it('is told in docs/operations.md, and nothing else is told as one', () => {
    const told = [...text.matchAll(/^### (Mace\w+)$/gm)].map(([, name]) => name!);
    expect(told).toEqual(rules.map(({ alert }) => alert));
  });

  it('is made to come by a test', () => {
    const tests = readFileSync(TESTS, 'utf8');
    for (const { alert } of rules)
      expect([alert, tests.includes(`alertname="${alert}"`) || tests.includes(`alertname: ${alert}`)]).toEqual([
        alert,
        true,
      ]);
  });
});

describe('the dashboard', () => {
  it('asks a Prometheus that is chosen where it is loaded, by variables that it declares', () => {
    const variables = templating.list.map(({ name }) => name);
    expect(variables).toEqual(['datasource', 'instance']);
    for (const { title, datasource, targets = [], description } of drawn) {
      expect([title, datasource?.uid]).toEqual([title, '${' + 'datasource}']);
      expect([title, targets.length > 0, (description ?? '').length > 0]).toEqual([title, true, true]);
      for (const { expr } of targets)
        for (const [, name] of expr.matchAll(/\$(\w+)/g)) expect(['instance', '__rate_interval']).toContain(name);
    }
  });

  it('has every panel once, beside the others and none over another', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of panels) {
      expect([title, gridPos.x + gridPos.w <= 24]).toEqual([title, true]);
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++)
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          expect([title, taken.has(`${x} ${y}`)]).toEqual([title, false]);
          taken.add(`${x} ${y}`);
        }
    }
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
if (!hasPromtool)
  process.stderr.write('SKIPPED: alerts by promtool: it is not installed (Debian: apt-get install prometheus)\n');

(hasPromtool ? describe : describe.skip)('promtool', () => {
  const promtool = (...args: string[]): readonly [number | null, string] => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return [status, stdout + stderr];
  };

  it('takes the rules', () => {
    expect(promtool('check', 'rules', ALERTS)).toEqual([0, expect.stringContaining(`${rules.length} rules found`)]);
  });

  it('sees each alert come where it should and not where it should not', () => {
    expect(promtool('test', 'rules', TESTS)).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it('takes each query of the dashboard', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mace-queries-'));
    try {
      const asRules = queries.map(([, expr], i) => ({ record: `query:${i}`, expr }));
      const file = join(folder, 'queries.yaml');
      writeFileSync(file, stringify({ groups: [{ name: 'queries', rules: asRules }] }));
      expect(promtool('check', 'rules', file)).toEqual([0, expect.stringContaining('SUCCESS')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
