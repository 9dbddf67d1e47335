import { readFileSync } from 'node:fs';

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly resolved?: string;
}

describe('the packages', () => {
  it('run nothing of theirs at install', () => {
    expect(readFileSync('.npmrc', 'utf8').split('\n')).toContain('ignore-scripts=true');
  });

  it('are named by the hash of their content, each of them, and none comes from elsewhere than the registry', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
    const installed = Object.entries(packages).filter(([path]) => path !== '');
    expect(installed.length).toBeGreaterThan(100);
    for (const [path, { integrity, link, resolved }] of installed) {
      expect([path, integrity, link]).toEqual([path, expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/), undefined]);
      expect([path, resolved ?? 'registry']).toEqual([
        path,
        expect.stringMatching(/^(registry$|https:\/\/registry\.)/),
      ]);
    }
  });

  it('are asked for by exact versions', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      expect([name, version]).toEqual([name, expect.stringMatching(/^(npm:[a-z]+@)?[0-9]+\.[0-9]+\.[0-9]+$/)]);
  });
});
