import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { knownSettings, type Manifest, yamlDocuments, yamlFile } from './files.js';

const FOLDER = 'deploy/kubernetes';
const { resources } = yamlFile<{ resources: readonly string[] }>(join(FOLDER, 'kustomization.yaml'));
const all = resources.flatMap((file) => yamlDocuments(join(FOLDER, file)));
const ofKind = <T>(kind: string): readonly (Manifest & { readonly spec: T })[] =>
  all.filter((one) => one.kind === kind) as (Manifest & { readonly spec: T })[];

type Labels = Readonly<Record<string, string>>;
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}
interface Pod {
  readonly automountServiceAccountToken: boolean;
  readonly serviceAccountName: string;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly topologySpreadConstraints: readonly { readonly topologyKey: string }[];
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: object;
    readonly hostPath?: object;
    readonly projected?: {
      readonly sources: readonly {
        readonly configMap: { readonly name: string; readonly items?: readonly { key: string; path: string }[] };
      }[];
    };
  }[];
}
interface Workload {
  readonly replicas: number;
  readonly selector: { readonly matchLabels: Labels };
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
  readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[];
}
interface Policy {
  readonly podSelector: { readonly matchLabels?: Labels };
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly unknown[];
  readonly egress?: readonly { readonly to?: readonly unknown[]; readonly ports?: readonly unknown[] }[];
}

const workloads = ofKind<Workload>('StatefulSet');
const each = workloads.map((one) => [one.metadata.name, one.spec] as const);
const matches = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

const hasKubectl = spawnSync('kubectl', ['version', '--client']).error === undefined;
if (!hasKubectl) process.stderr.write('SKIPPED: manifests by kustomize: there is no kubectl on this machine\n');
const itWithKubectl = hasKubectl ? it : it.skip;

describe('the Kubernetes manifests', () => {
  it('are all named in the kustomization, but the one for the operator of Prometheus', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
    expect(files.filter((name) => !resources.includes(name))).toEqual(['service-monitor.yaml']);
    expect(resources.filter((name) => !files.includes(name))).toEqual([]);
    expect(workloads.map(({ metadata }) => metadata.name)).toEqual(['mace-api', 'mace-worker']);
  });

  it('hold no secret: each comes by its name', () => {
    expect(all.map(({ kind }) => kind)).not.toContain('Secret');
    const settings = all.find(({ kind }) => kind === 'ConfigMap')!.data!;
    for (const [name, value] of Object.entries(settings)) {
      if (/_URL$/.test(name)) expect([name, value]).toEqual([name, expect.stringMatching(/^https:\/\/[^@]*$/)]);
      expect([name, value]).not.toEqual([name, expect.stringMatching(/:\/\/[^/]*@/)]);
    }
  });

  it('set nothing that MACE does not know, and what processes on one log must share', () => {
    const settings = all.find(({ kind }) => kind === 'ConfigMap')!.data!;
    const known = knownSettings();
    const nodes = ['NODE_EXTRA_CA_CERTS'];
    expect(Object.keys(settings).filter((name) => !known.has(name) && !nodes.includes(name))).toEqual([]);
    expect(settings).toMatchObject({ MACE_MODE: 'production', MACE_EVENT_STORE: 'eventstoredb', MACE_CACHE: 'redis' });
    for (const name of ['MACE_ORIGIN', 'MACE_KEYS_FILE', 'MACE_PROJECTION_LEASE_MS'])
      expect(settings).toHaveProperty(name);
  });

  it.each(each)('%s has the constants of config/ with their schemas, and engines where there are some', (_, set) => {
    const { spec } = set.template;
    const [container] = spec.containers;
    expect(container!.envFrom).toContainEqual({ secretRef: { name: 'mace-engines', optional: true } });
    expect(container!.volumeMounts).toContainEqual({ name: 'config', mountPath: '/app/config', readOnly: true });
    const [constants, schemas] = spec.volumes.find(({ name }) => name === 'config')!.projected!.sources;
    expect(constants).toEqual({ configMap: { name: 'mace-config' } });
    const items = readdirSync('config/schema').map((key) => ({ key, path: `schema/${key}` }));
    expect(schemas).toEqual({ configMap: { name: 'mace-config-schema', items } });
  });

  it.each(each)('%s fits the restricted profile of pod security, in every container', (_, { template }) => {
    const { spec } = template;
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(spec.securityContext['runAsUser']).toBe(10001);
    expect(spec.automountServiceAccountToken).toBe(false);
    for (const { name, securityContext } of [...spec.initContainers, ...spec.containers])
      expect([name, securityContext]).toEqual([
        name,
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ['ALL'] },
        },
      ]);
    for (const volume of spec.volumes) expect(volume).not.toHaveProperty('hostPath');
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) expect(spec).not.toHaveProperty(field);
  });

  it('enforce that profile for the namespace', () => {
    const [namespace] = all.filter(({ kind }) => kind === 'Namespace');
    expect(namespace!.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it.each(each)('%s is killed for not living only, and sent nothing while it is not ready', (_, { template }) => {
    const [container] = template.spec.containers;
    const { startupProbe: start, livenessProbe: live, readinessProbe: ready, ports } = container!;
    expect([start, live, ready].map((probe) => probe!.httpGet.path)).toEqual([
      '/health/live',
      '/health/live',
      '/health/ready',
    ]);
    const open = ports!.map(({ name }) => name);
    for (const probe of [start, live, ready]) expect(open).toContain(probe!.httpGet.port);
    // A start waits for its stores by MACE_EVENT_STORE_WAIT_S and MACE_READ_STORE_WAIT_S, and then may read the whole log.
    const settings = all.find(({ kind }) => kind === 'ConfigMap')!.data!;
    const waits = Number(settings['MACE_EVENT_STORE_WAIT_S']) + Number(settings['MACE_READ_STORE_WAIT_S']);
    expect(start!.periodSeconds * start!.failureThreshold).toBeGreaterThanOrEqual(2 * waits);
    // Readiness answers within 3 s, whatever its stores do (docs/operations.md).
    expect(ready!.timeoutSeconds).toBeGreaterThan(3);
  });

  it.each(each)('%s has time to end: 10 s for what is in hand, and what stands before', (_, { template }) => {
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20);
  });

  it.each(each)('%s asks for what it needs, has a limit of memory, and is spread over machines', (_, { template }) => {
    for (const { resources: wanted } of [...template.spec.initContainers, ...template.spec.containers]) {
      expect(Object.keys(wanted.requests)).toEqual(['cpu', 'memory']);
      expect(wanted.limits).toHaveProperty('memory');
    }
    const keys = template.spec.topologySpreadConstraints.map(({ topologyKey }) => topologyKey);
    expect(keys).toContain('kubernetes.io/hostname');
  });

  it.each(each)('%s keeps data and keys on volumes of its own, apart from each other', (_, spec) => {
    expect(spec.volumeClaimTemplates.map(({ metadata }) => metadata.name)).toEqual(['data', 'keys']);
    const [container] = spec.template.spec.containers;
    const writable = container!.volumeMounts.filter(({ readOnly }) => readOnly !== true);
    expect(writable.map(({ mountPath }) => mountPath)).toEqual(['/data', '/keys', '/tmp']);
    const claimed = ['data', 'keys', ...spec.template.spec.volumes.map(({ name }) => name)];
    for (const { name } of container!.volumeMounts) expect(claimed).toContain(name);
  });

  it('let a machine be emptied, one pod of each kind at a time', () => {
    const budgets = ofKind<{ maxUnavailable: number; selector: { matchLabels: Labels } }>('PodDisruptionBudget');
    for (const [name, { template, replicas }] of each) {
      const own = budgets.filter(({ spec }) => matches(spec.selector.matchLabels, template.metadata.labels));
      expect([name, own.map(({ spec }) => spec.maxUnavailable), replicas]).toEqual([name, [1], 2]);
    }
  });

  it('select what they mean: each selector of a set, a service and a budget finds the pods of one set', () => {
    const labels = each.map(([, { template }]) => template.metadata.labels);
    for (const [, { selector, template }] of each)
      expect(matches(selector.matchLabels, template.metadata.labels)).toBe(true);
    for (const { metadata, spec } of ofKind<{ selector: Labels; ports: { targetPort: string }[] }>('Service')) {
      const found = each.filter(([, { template }]) => matches(spec.selector, template.metadata.labels));
      expect([metadata.name, found.length]).toEqual([metadata.name, 1]);
      const open = found[0]![1].template.spec.containers[0]!.ports!.map(({ name }) => name);
      for (const { targetPort } of spec.ports) expect(open).toContain(targetPort);
    }
    const services = ofKind<{ clusterIP?: string }>('Service');
    for (const [name, spec] of each) {
      const { serviceName } = spec as unknown as { serviceName: string };
      const headless = services.find(({ metadata }) => metadata.name === serviceName);
      expect([name, headless?.spec.clusterIP]).toEqual([name, 'None']);
    }
    expect(labels).toHaveLength(2);
  });

  it('let nothing reach anything that is not named: no rule is open to every place or every port', () => {
    const policies = ofKind<Policy>('NetworkPolicy');
    const closed = policies.filter(({ spec }) => Object.keys(spec.podSelector).length === 0);
    expect(closed.map(({ spec }) => spec)).toEqual([{ podSelector: {}, policyTypes: ['Ingress', 'Egress'] }]);
    for (const { metadata, spec } of policies)
      for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])] as Record<string, unknown[] | undefined>[]) {
        expect([metadata.name, (rule['from'] ?? rule['to'])?.length]).toEqual([metadata.name, expect.any(Number)]);
        expect([metadata.name, rule['ports']?.length]).toEqual([metadata.name, expect.any(Number)]);
      }
    const places = JSON.stringify(policies);
    for (const inside of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'])
      expect(places).toContain(inside);
  });

  it('watch the ports that serve metrics', () => {
    const [monitor] = yamlDocuments(join(FOLDER, 'service-monitor.yaml')) as readonly (Manifest & {
      spec: { selector: { matchLabels: Labels }; endpoints: { port: string; path: string }[] };
    })[];
    const watched = ofKind<{ ports: { name: string }[] }>('Service').filter(({ metadata }) =>
      matches(monitor!.spec.selector.matchLabels, metadata.labels!),
    );
    expect(watched.map(({ metadata }) => metadata.name)).toEqual(['mace-api-pods', 'mace-worker-pods']);
    for (const { spec } of watched)
      expect(spec.ports.map(({ name }) => name)).toEqual([monitor!.spec.endpoints[0]!.port]);
  });

  itWithKubectl('are taken by kustomize whole', () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', FOLDER], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.match(/^kind: /gm)).toHaveLength(all.length);
  });
});
