import { type LanguageEngine, type MathEngine, verifyMathAnswer } from '#lib/agents';
import { personalIn, redactFound } from '#lib/brainstate';
import type { EventLog } from '#lib/event-store';
import { LateAnswers, LateVotes, type PlacedFinding, type WorldOptions } from '#lib/jobs';
import type { Json, KeyRing } from '#lib/kernel';
import { piiHash } from '#lib/privacy';
import type { Evidence } from '#lib/selfrep';

import { faultShape, type Logger } from '../edge/log.js';

/** What turns are granted besides memory, and where what goes wrong in them is kept. */
export class LiveParts implements Pick<
  WorldOptions,
  'language' | 'math' | 'evidence' | 'lateAnswers' | 'lateVotes' | 'findPersonal'
> {
  readonly math: WorldOptions['math'];
  readonly lateAnswers: LateAnswers;
  readonly lateVotes: LateVotes;
  readonly evidence: WorldOptions['evidence'];

  constructor(
    log: EventLog,
    private readonly ring: KeyRing,
    math: MathEngine,
    forensic: Evidence,
    readonly language: LanguageEngine | null,
    logger: Logger,
  ) {
    this.math = { solve: (query, turn) => math.solve(query, turn), verify: verifyMathAnswer };
    this.lateAnswers = new LateAnswers(log, (error) =>
      logger.warn(faultShape(error), 'an answer that came too late could not be recorded'),
    );
    this.lateVotes = new LateVotes(log, (error) =>
      logger.warn(faultShape(error), 'a vote that came too late could not be recorded'),
    );
    this.evidence = {
      // A violation is recorded and its module goes offline, whether or not there is room for the evidence.
      keep: async (record) => {
        try {
          return await forensic.keep(record);
        } catch (error) {
          logger.error(faultShape(error), 'evidence of a policy violation could not be kept');
          return null;
        }
      },
    };
  }

  findPersonal(values: readonly Json[], jobSeed: string): readonly PlacedFinding[] {
    const key = this.ring.active('pii-hmac').secret;
    return values.flatMap((value, item) => {
      const hashes = new Map<unknown, string>();
      const found = personalIn(value);
      redactFound(value, found, (text, finding) => {
        hashes.set(finding, piiHash(key, text.slice(finding.start, finding.end), jobSeed));
      });
      return found.map(({ pointer, in: where, finding }) => {
        const { type, category, start, end, score, rule } = finding;
        return { item, pointer, in: where, type, category, start, end, score, rule, pii_hash: hashes.get(finding)! };
      });
    });
  }
}
