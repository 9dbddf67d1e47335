import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { knownSettings, yamlFile } from './files.js';

interface Service {
  readonly image?: string;
  readonly build?: { readonly dockerfile: string; readonly context: string };
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly privileged?: boolean;
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
  readonly tmpfs?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, unknown>> } };
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const { services, networks, volumes, secrets } = yamlFile<Compose>('deploy/compose.yaml');
const every = Object.entries(services);
const isOnce = ({ restart }: Service): boolean => restart === 'no';
const standing = every.filter(([, service]) => !isOnce(service));
const once = every.filter(([, service]) => isOnce(service));
const ours = every.filter(([, { build }]) => build !== undefined);

describe('the compose file', () => {
  it('has every process of the production shape', () => {
    expect(standing.map(([name]) => name)).toEqual(['api', 'worker', 'eventstore', 'mongodb', 'redis']);
    expect(services['eventstore']!.image).toMatch(/eventstore:23\.10\./);
  });

  it.each(every)('%s writes to its own folders only, and has no right that it does not begin with', (_, service) => {
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toContain('no-new-privileges:true');
    expect(service.privileged).toBeUndefined();
    expect(service.user).toMatch(/^[0-9]+:[0-9]+$/);
  });

  it('runs nothing that listens as root, and gives a capability only to what makes folders and ends', () => {
    for (const [name, { user }] of standing) expect([name, user]).not.toEqual([name, expect.stringMatching(/^0:/)]);
    const given = every.filter(([, { cap_add: added }]) => added !== undefined).map(([name]) => name);
    expect(given).toEqual(['certificates']);
    expect(services['certificates']).toMatchObject({ network_mode: 'none', cap_add: ['CHOWN', 'DAC_OVERRIDE'] });
  });

  it.each(every)('%s has a limit of memory, processor time and processes, and of what it logs', (_, service) => {
    expect(Object.keys(service.deploy!.resources.limits).sort()).toEqual(['cpus', 'memory', 'pids']);
    expect(service.logging!.options).toHaveProperty('max-size');
  });

  it.each(every)('%s comes by a tag that names a release, of one version each', (_, service) => {
    expect(service.image).toMatch(/^(docker\.io\/[a-z]+\/[a-z]+:[0-9]+\.[0-9]+\.[0-9]+|\$\{MACE_IMAGE:-mace:[0-9])/);
  });

  it('builds its own image from deploy/Dockerfile, under the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(ours.length).toBeGreaterThanOrEqual(4);
    for (const [, { image, build }] of ours) {
      expect(image).toBe(`\${MACE_IMAGE:-mace:${version}}`);
      expect(existsSync(join('deploy', build!.context, build!.dockerfile))).toBe(true);
    }
  });

  it.each(standing)('%s tells whether it is well', (_, { healthcheck }) => {
    expect(healthcheck!.test[0]).toBe('CMD');
  });

  it('waits for what each needs by its state, never by time: servers that are well, tasks that have ended', () => {
    for (const [name, { depends_on: needed = {} }] of every)
      for (const [other, { condition }] of Object.entries(needed)) {
        const wanted = isOnce(services[other]!) ? 'service_completed_successfully' : 'service_healthy';
        expect([name, other, condition]).toEqual([name, other, wanted]);
      }
    const reach = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
      for (const next of Object.keys(services[name]!.depends_on ?? {}))
        if (!seen.has(next)) reach(next, seen.add(next));
      return seen;
    };
    for (const process of ['api', 'worker'])
      expect([...reach(process)]).toEqual(
        expect.arrayContaining(['keys', 'eventstore', 'eventstore-setup', 'mongodb', 'mongodb-setup', 'redis']),
      );
  });

  it('opens the ports of HTTP and gRPC, on this machine only, and gives stores a network without a way out', () => {
    const opened = every.filter(([, { ports }]) => ports !== undefined);
    expect(opened.map(([name]) => name)).toEqual(['api']);
    expect(opened[0]![1].ports).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:[^:]+:-3000\}:3000$/),
      expect.stringMatching(/^127\.0\.0\.1:[^:]+:-3001\}:3001$/),
    ]);
    expect(networks['stores']).toEqual({ internal: true });
    for (const name of ['eventstore', 'mongodb', 'redis']) expect(services[name]!.networks).toEqual(['stores']);
  });

  it('holds no password: secrets are files, each is declared and used, and no environment has one', () => {
    const used = new Set(every.flatMap(([, service]) => service.secrets ?? []));
    expect([...used].sort()).toEqual(Object.keys(secrets).sort());
    for (const [name, { file }] of Object.entries(secrets)) expect(file).toBe(`./compose/secrets/${name}`);
    for (const [name, { environment = {} }] of every)
      for (const [key, value] of Object.entries(environment)) {
        expect([name, key, value]).not.toEqual([name, key, expect.stringMatching(/:\/\/[^/]*:[^/]*@/)]);
        if (/PASSWORD|(EVENTSTORE|MONGODB|REDIS)_URL/.test(key)) {
          expect([name, key]).toEqual([name, expect.stringMatching(/_FILE$/)]);
          expect(value).toMatch(/^\/run\/secrets\//);
          expect(services[name]!.secrets).toContain(value.slice('/run/secrets/'.length));
        }
      }
    expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('deploy/compose/secrets/');
  });

  it('mounts files that are there, read-only, and volumes that are declared', () => {
    for (const [name, service] of every)
      for (const mount of service.volumes ?? []) {
        const [from = '', , mode] = mount.split(':');
        if (!from.startsWith('.')) expect(Object.keys(volumes)).toContain(from);
        else expect([name, from, existsSync(join('deploy', from)), mode]).toEqual([name, from, true, 'ro']);
      }
    const mounted = every.flatMap(([, service]) => service.volumes ?? []).map((mount) => mount.split(':')[0]);
    for (const volume of Object.keys(volumes)) expect(mounted).toContain(volume);
  });

  it('gives API and worker one log, one ring and the same stores, and to each folders of its own', () => {
    const { MACE_ROLE: role, ...shared } = services['api']!.environment!;
    expect(role).toBe('api');
    expect(services['worker']!.environment).toEqual(shared);
    const own = (name: string): readonly string[] =>
      services[name]!.volumes!.filter((mount) => !mount.endsWith(':ro')).map((mount) => mount.split(':')[0]!);
    expect(own('api').filter((volume) => own('worker').includes(volume))).toEqual([]);
  });

  it('gives both the constants of config/, and language engines where their file is there', () => {
    for (const name of ['api', 'worker']) {
      expect(services[name]!.volumes).toContain('../config:/app/config:ro');
      expect(services[name]!.env_file).toEqual([{ path: './compose/secrets/engines.env', required: false }]);
    }
  });

  it('sets nothing that MACE does not know', () => {
    const known = knownSettings();
    for (const name of ['api', 'worker'])
      for (const key of Object.keys(services[name]!.environment!)) expect([...known]).toContain(key);
  });

  it('begins once what is needed once', () => {
    expect(once.map(([name]) => name)).toEqual(['keys', 'certificates', 'eventstore-setup', 'mongodb-setup']);
  });
});
