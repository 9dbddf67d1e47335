import type { JsonObject } from '#lib/kernel';

/** The version of A2A that is spoken; a patch of it changes nothing. */
export const A2A_VERSION = '1.0';
export const TEXT = 'text/plain';
export const JSON_TYPE = 'application/json';

/**
 * What another agent reads of MACE before it asks (A2A 1.0, 8). No member has a default value: its signature is over the
 * canonical form, which holds none.
 * @param base the server's address, with a slash at its end
 * @param version of the release
 */
export function agentCard(base: string, version: string): JsonObject {
  return {
    name: 'MACE',
    description:
      'Answers questions as recorded decisions: routed to agents by their trust, voted on by a council, and proven by a log that replays.',
    version,
    documentationUrl: `${base}docs`,
    supportedInterfaces: [{ url: `${base}a2a`, protocolBinding: 'JSONRPC', protocolVersion: A2A_VERSION }],
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'A token of MACE.' } } },
    securityRequirements: [{ schemes: { bearer: { list: ['user'] } } }],
    defaultInputModes: [TEXT],
    defaultOutputModes: [TEXT, JSON_TYPE],
    skills: [
      {
        id: 'ask',
        name: 'Ask',
        description:
          'Answers one question as a job. The artifact holds the answer, and its job_id, verdict and confidence: by the job_id its record can be read, explained and replayed.',
        tags: ['questions', 'decisions', 'audit'],
        examples: ['What is my favorite color?', 'What is 12.5% of 80?'],
      },
      {
        id: 'remember',
        name: 'Remember',
        description: 'Keeps what the asking person says of themself, where they consent to it, and tells it later.',
        tags: ['memory', 'profile'],
        examples: ['Remember that my favorite color is blue.'],
      },
    ],
  };
}
