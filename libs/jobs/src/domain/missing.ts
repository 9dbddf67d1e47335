/**
 * What a replay of a job needs, by kind. `snapshot` and `agent_output` are what the job names and nobody keeps; `input`
 * is what it was asked, erased while it ran; `record` a record that no engine can go on from; `integrity` what is there
 * but is not what was signed: its log, or a snapshot that it pins.
 */
export const MISSING_KINDS = ['snapshot', 'agent_output', 'input', 'record', 'integrity'] as const;
export type MissingKind = (typeof MISSING_KINDS)[number];

/** Name of something that is missing: `<kind>:<which>`, or the kind alone. */
export function artifactName(kind: MissingKind, which?: string): string {
  return which === undefined ? kind : `${kind}:${which}`;
}

/** The kind of a named artifact. Jobs of before names were given say in words why they could not be continued: a record. */
export function kindOfArtifact(name: string): MissingKind {
  const kind = name.split(':', 1)[0];
  return MISSING_KINDS.find((one) => one === kind) ?? 'record';
}
