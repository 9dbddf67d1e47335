import { BundlesController } from '../bundles/bundles.controller.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { SemController } from '../memory/sem.controller.js';
import { type Operation, operationOf } from '../edge/operation.js';

/** A GET of REST as a resource, by the parts of its path. */
export interface Resource {
  readonly operation: Operation;
  /** Of a URI, with its parts by their names. */
  readonly form: RegExp;
  readonly template: {
    readonly name: string;
    readonly title: string;
    readonly uriTemplate: string;
    readonly description: string;
    readonly mimeType: string;
  };
}

const MIME = 'application/json';
export const JOB_URI = 'mace://jobs/';

export const RESOURCE_TEMPLATES: readonly Resource[] = [
  {
    operation: operationOf(JobsController, 'read'),
    form: /^mace:\/\/jobs\/(?<job_id>[^/?#]+)$/,
    template: {
      name: 'job',
      title: 'A job',
      uriTemplate: `${JOB_URI}{job_id}`,
      description: 'A job as it stands, with its answer or its error.',
      mimeType: MIME,
    },
  },
  {
    operation: operationOf(BundlesController, 'bundle'),
    form: /^mace:\/\/jobs\/(?<job_id>[^/?#]+)\/bundle$/,
    template: {
      name: 'bundle',
      title: 'The bundle of a job',
      uriTemplate: `${JOB_URI}{job_id}/bundle`,
      description: 'Everything that proves a job; `mace verify` checks it without this server.',
      mimeType: MIME,
    },
  },
  {
    operation: operationOf(SemController, 'history'),
    form: /^mace:\/\/memory\/(?<scope>[^/?#]+)\/(?<entity_type>[^/?#]+)\/(?<entity_id>[^/?#]+)\/(?<attribute>[^/?#]+)\/history$/,
    template: {
      name: 'history',
      title: 'The history of a key',
      uriTemplate: 'mace://memory/{scope}/{entity_type}/{entity_id}/{attribute}/history',
      description: 'The writes of a key of memory, oldest first, 200 at most; the tool history has further pages.',
      mimeType: MIME,
    },
  },
];

/** Newest first; each is a resource. */
export const JOBS_OF_CALLER = operationOf(JobsController, 'list');

/** The resource that a URI names, and the parts of its path; undefined where it names none. */
export function resourceOf(
  uri: string,
): { readonly resource: Resource; readonly params: Record<string, string> } | undefined {
  for (const resource of RESOURCE_TEMPLATES) {
    const parts = resource.form.exec(uri)?.groups;
    if (parts)
      return {
        resource,
        params: Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, decoded(part)])),
      };
  }
  return undefined;
}

/** A part that is no percent-encoding is taken as it stands. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
