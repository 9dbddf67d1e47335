import { type Position, positionOf } from '#lib/event-store';
import { MaceError, sha256Hex } from '#lib/kernel';

/** What it is called over REST, as a query, and by GraphQL and the command line. */
const NAMES = 'Last-Event-ID (last_event_id, after)';
const LETTERS = 12;
const FORM = /^(0|[1-9][0-9]{0,19})(?:-([a-p]{12}))?$/;

/**
 * Names places of one log for readers who come again: a position, and of which log it is (docs/decisions/0028). Positions
 * of another log may be there too, and would lead on from another place.
 */
export class LogPlaces {
  private readonly mark: string;

  /** @param log what no other log is called, and this one only where its positions are these */
  constructor(log: string) {
    // Letters alone: with digits it could look like a number of a person.
    const letters = [...sha256Hex(log).slice(0, LETTERS)].map((digit) => String.fromCharCode(97 + parseInt(digit, 16)));
    this.mark = letters.join('');
  }

  /** As a reader is told it: `41-abkdncpofagh`. */
  idOf(position: string): string {
    return `${position}-${this.mark}`;
  }

  /**
   * Where a reader says it is. A position alone is taken for one of this log: people write it by hand.
   * @throws MaceError INVALID_INPUT for what is no place, and for one of another log
   */
  positionOf(id: string): Position {
    const [, position, log] = FORM.exec(id) ?? [];
    if (position === undefined) throw noPlace();
    if (log !== undefined && log !== this.mark) {
      throw new MaceError(
        'INVALID_INPUT',
        `${NAMES}: of another log; read what is in this one from 0 on, or from its head`,
      );
    }
    try {
      return positionOf(position);
    } catch (error) {
      if (error instanceof RangeError) throw noPlace();
      throw error;
    }
  }
}

/** A position that this log does not have. */
export function noPlace(): MaceError {
  return new MaceError(
    'INVALID_INPUT',
    `${NAMES}: the id of an event of this log, as its tail gave it; 0 is before the first, none is the head`,
  );
}
