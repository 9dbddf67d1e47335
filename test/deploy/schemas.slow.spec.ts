import { join } from 'node:path';

import { type Manifest, yamlDocuments, yamlFile } from './files.js';
import { faultsOfCompose, faultsOfManifest, unknownMembers } from './schemas.js';

const FOLDER = 'deploy/kubernetes';
const { resources } = yamlFile<{ resources: readonly string[] }>(join(FOLDER, 'kustomization.yaml'));
const manifests = [...resources, 'service-monitor.yaml'].flatMap((file) => yamlDocuments(join(FOLDER, file)));
const compose = yamlFile<{ readonly services: Record<string, object> }>('deploy/compose.yaml');

/** A copy of a manifest with one more word at a place in it. */
function changed(manifest: Manifest, place: readonly (string | number)[], value: unknown): Manifest {
  const copy = structuredClone(manifest);
  const parents = place.slice(0, -1);
  const parent = parents.reduce<Record<string, unknown>>(
    (at, key) => at[key] as Record<string, unknown>,
    copy as unknown as Record<string, unknown>,
  );
  parent[place.at(-1)!] = value;
  return copy;
}

describe('the published schemas', () => {
  it.each(manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one] as const))(
    'of Kubernetes take %s',
    async (_, manifest) => {
      expect(await faultsOfManifest(manifest)).toEqual([]);
    },
  );

  it('of Kubernetes tell a value of a wrong type, a quantity that is none, and what is missing', async () => {
    const workload = manifests.find(({ kind }) => kind === 'StatefulSet')!;
    const container = ['spec', 'template', 'spec', 'containers', 0] as const;
    expect(await faultsOfManifest(changed(workload, ['spec', 'replicas'], 'two'))).not.toEqual([]);
    expect(await faultsOfManifest(changed(workload, [...container, 'resources', 'limits', 'cpu'], 'x'))).not.toEqual(
      [],
    );
    expect(await faultsOfManifest(changed(workload, ['spec', 'selector'], undefined))).not.toEqual([]);
  });

  it('of Kubernetes have every member that a manifest names, at any depth', () => {
    const workload = manifests.find(({ kind }) => kind === 'StatefulSet')!;
    const misspelt = changed(workload, ['spec', 'template', 'spec', 'containers', 0, 'readinesProbe'], {});
    expect(unknownMembers([...manifests, misspelt])).toEqual([
      expect.stringMatching(/^StatefulSet mace-api: .*readinesProbe/),
    ]);
  }, 60_000);

  it('of Compose take the compose file, and nothing that it does not name', () => {
    expect(faultsOfCompose(compose)).toEqual([]);
    const { api } = compose.services;
    const withApi = (more: object): object => ({
      ...compose,
      services: { ...compose.services, api: { ...api, ...more } },
    });
    expect(faultsOfCompose(withApi({ comand: [] }))).not.toEqual([]);
    expect(faultsOfCompose(withApi({ read_only: [] }))).not.toEqual([]);
    expect(faultsOfCompose({ ...compose, service: {} })).not.toEqual([]);
  });
});
