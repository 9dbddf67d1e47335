import { readFileSync } from 'node:fs';

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** Instructions of a stage, with continued lines joined; the first one is its FROM. */
function stagesOf(path: string): readonly (readonly Instruction[])[] {
  const text = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, ' ');
  const stages: Instruction[][] = [[]];
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, name = '', value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    expect([line, name]).toEqual([line, expect.stringMatching(/^[A-Z]+$/)]);
    if (name === 'FROM') stages.push([]);
    stages.at(-1)!.push({ name, value });
  }
  return stages;
}

const [before, ...stages] = stagesOf('deploy/Dockerfile');
const last = stages.at(-1)!;
const of = (stage: readonly Instruction[], name: string): string[] =>
  stage.filter((one) => one.name === name).map(({ value }) => value);
const only = (name: string): string => {
  const found = of(last, name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!;
};

describe('the image', () => {
  it('stands in every stage on one base, by a tag that names a release and may be given with its digest', () => {
    const [base] = of(before!, 'ARG').map((arg) => /^NODE_IMAGE=(.*)$/.exec(arg)?.[1]);
    expect(base).toMatch(/^docker\.io\/library\/node:[0-9]+\.[0-9]+\.[0-9]+-[a-z]+-slim(@sha256:[0-9a-f]{64})?$/);
    expect(stages).toHaveLength(2);
    for (const stage of stages) expect(stage[0]!.value).toMatch(/^\$\{NODE_IMAGE\} AS [a-z]+$/);
  });

  it('is of a Node that the packages ask for', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe('>=20.19.0');
    expect(Number(/node:([0-9]+)\./.exec(of(before!, 'ARG').join())?.[1])).toBeGreaterThanOrEqual(22);
  });

  it('installs by the lock file alone, runs nothing of any package, and ends without what only building needs', () => {
    const installs = stages.flatMap((stage) => of(stage, 'RUN')).filter((run) => /\bnpm\b/.test(run));
    expect(installs).toHaveLength(1);
    for (const run of installs) expect(run).toMatch(/^npm ci --omit=dev --ignore-scripts/);
    expect(of(last, 'RUN').join()).not.toContain('npm');
    const copied = of(last, 'COPY').find((copy) => copy.includes('node_modules'));
    const from = stages.find((stage) => stage[0]!.value.endsWith(` AS ${/--from=([a-z]+)/.exec(copied!)![1]!}`));
    // The compilers are packages that run where somebody starts from a clone.
    expect(of(from!, 'RUN').at(-1)).toMatch(
      /build\.mjs\s+&& rm -rf node_modules\/esbuild node_modules\/@esbuild node_modules\/@swc/,
    );
  });

  it('holds what the build made: the bundle that is started, and the modules by whose places it finds threads and files', () => {
    for (const folder of ['dist/mace', 'dist/apps', 'dist/libs', 'dist/console'])
      expect(of(last, 'COPY')).toContain(`--from=build /app/${folder} ${folder}`);
  });

  it('adds nothing from the network but packages of the lock file: no ADD, no package manager, no download', () => {
    for (const stage of stages) {
      expect(of(stage, 'ADD')).toEqual([]);
      expect(of(stage, 'RUN').join('\n')).not.toMatch(/\b(apt|apt-get|apk|curl|wget|npx|git)\b/);
    }
  });

  it('holds no secret: none is an argument, none is copied, and nothing is copied whole', () => {
    const given = stages.flatMap((stage) => [...of(stage, 'ARG'), ...of(stage, 'ENV')]).join('\n');
    expect(given).not.toMatch(/secret|password|token|_URL|_KEY\b/i);
    for (const stage of stages)
      for (const copy of of(stage, 'COPY')) expect(copy.split(' ').slice(0, -1)).not.toContain('.');
  });

  it('runs as a user by number, not as root, and nothing after that is done as root', () => {
    expect(only('USER')).toBe('10001:10001');
    const place = last.findIndex(({ name }) => name === 'USER');
    expect(last.slice(place).map(({ name }) => name)).not.toContain('RUN');
    expect(last.slice(place).map(({ name }) => name)).not.toContain('COPY');
  });

  it('names each folder that is written to as a volume, so that the rest may be read-only', () => {
    expect(JSON.parse(only('VOLUME'))).toEqual(['/data', '/keys', '/tmp']);
    expect(only('ENV')).toContain('MACE_DATA_DIR=/data');
    expect(of(last, 'RUN').join('\n')).toContain('install -d -m 0700 -o 10001 -g 10001 /data /keys');
  });

  it('starts the process itself, with no shell that would keep an order to stop from it', () => {
    const { start } = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }).scripts;
    const flags = start.split(' ').filter((word) => word.startsWith('--'));
    expect(JSON.parse(only('ENTRYPOINT'))).toEqual(['node', ...flags, '/app/dist/mace/main.js']);
    expect(JSON.parse(only('CMD'))).toEqual(['serve']);
    expect(only('STOPSIGNAL')).toBe('SIGTERM');
  });

  it('tells by itself whether it lives, with what is in it', () => {
    const [, command] = /CMD (\[.*\])$/.exec(only('HEALTHCHECK')) ?? [];
    expect(JSON.parse(command!)).toEqual(['node', '/app/container/healthcheck.mjs', '/health/live']);
  });

  it('says what it is, and the version is that of the package', () => {
    const { version, license } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
    const [label] = of(last, 'LABEL');
    for (const name of ['title', 'description', 'licenses', 'version', 'revision'])
      expect(label).toContain(`org.opencontainers.image.${name}=`);
    expect(label).toContain(`licenses="${license}"`);
    expect(of(last, 'ARG')).toContain(`VERSION=${version}`);
  });

  it('is built from a context that leaves out everything but what it copies', () => {
    const lines = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    const sources = stages
      .flatMap((stage) => of(stage, 'COPY'))
      .filter((copy) => !copy.startsWith('--from'))
      .flatMap((copy) => copy.split(' ').slice(0, -1));
    for (const source of new Set(sources)) expect(lines).toContain(`!${source}`);
    const opened = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const copied = new Set([...sources, 'deploy']);
    expect(opened.filter((path) => !copied.has(path))).toEqual([]);
    for (const never of ['data', 'test', 'dist', 'deploy/compose', '.git']) expect(opened).not.toContain(never);
  });
});
