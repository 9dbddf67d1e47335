import {
  canonicalize,
  MaceError,
  PERSONAL_MEMBER,
  quote,
  type DomainEvent,
  type EventDefinition,
  type EventRegistry,
  type Json,
  type JsonObject,
} from '#lib/kernel';

import { IntegrityError } from './integrity-error.js';
import type { LoggedEvent } from './logged-event.js';
import {
  decryptField,
  encryptField,
  type EncryptedField,
  encryptText,
  ERASED,
  isEncrypted,
  isErased,
  storedFieldFault,
  UnreadableFieldError,
} from './personal-fields.js';
import type { SubjectCipher, SubjectCiphers } from './subject-ciphers.js';

interface DeclaredField {
  /** Name and colon, as they stand in the text. */
  readonly lead: string;
  readonly personal: boolean;
}

/** The data keys of one append, by subject. */
export type PreparedCiphers = ReadonlyMap<string, SubjectCipher>;

const TOGETHER = `/${PERSONAL_MEMBER}`;
const FALSE_ERASURE = 'says that it is erased, and its key is there';

/** How the data of events is stored and read, personal fields under their subject's key (spec/privacy.md, "Personal fields"). */
export class PersonalData {
  private readonly declared = new Map<EventDefinition, ReadonlyMap<string, DeclaredField>>();

  constructor(
    protected readonly registry: EventRegistry,
    private readonly ciphers: SubjectCiphers,
  ) {}

  /** Fetches every data key that these events need, so that encoding is one synchronous step. */
  async prepare(events: readonly DomainEvent[]): Promise<PreparedCiphers> {
    const prepared = new Map<string, SubjectCipher>();
    for (const event of events) {
      const subject = this.subjectOf(this.definition(event.type), event.data);
      if (subject === null || prepared.has(subject)) continue;
      prepared.set(subject, this.ciphers.cached(subject) ?? (await this.ciphers.load(subject)));
    }
    return prepared;
  }

  /** Personal fields of a decoded event in plain. */
  async reveal(event: LoggedEvent): Promise<LoggedEvent> {
    for (;;) {
      const revealed = this.revealCached(event);
      if (revealed) return revealed;
      for (const value of Object.values(event.data)) if (isEncrypted(value)) await this.ciphers.forKid(value.$enc.kid);
    }
  }

  /** As `reveal`, at once; null where a data key is not in memory. */
  revealCached(event: LoggedEvent): LoggedEvent | null {
    const definition = this.definition(event.type);
    const subject = this.subjectOf(definition, event.data);
    if (subject === null) return event;
    if (definition.personalTogether) return this.revealTogether(event, definition.personal!, subject);
    let data: Record<string, Json> | undefined;
    for (const field of definition.personal!) {
      const value = event.data[field];
      refuseFault(event, field, storedFieldFault(value, subject));
      if (!isEncrypted(value)) continue;
      const cipher = this.ciphers.cachedKid(value.$enc.kid);
      if (!cipher) return null;
      data ??= { ...event.data };
      data[field] = cipher === 'destroyed' ? ERASED : this.opened(event, field, cipher, value);
    }
    return data ? { ...event, data } : event;
  }

  /** A personal field's value that its key opens: never one that reads as erased. */
  private opened(event: LoggedEvent, field: string, cipher: SubjectCipher, value: EncryptedField): Json {
    const plain = decryptField(cipher, event.metadata.event_id, `/${field}`, value);
    refuseFault(event, field, isErased(plain) ? FALSE_ERASURE : null);
    return plain;
  }

  private revealTogether(event: LoggedEvent, fields: readonly string[], subject: string): LoggedEvent | null {
    const sealed = event.data[PERSONAL_MEMBER];
    refuseFault(event, PERSONAL_MEMBER, storedFieldFault(sealed, subject));
    if (!isEncrypted(sealed)) return event;
    const cipher = this.ciphers.cachedKid(sealed.$enc.kid);
    if (!cipher) return null;
    const personal =
      cipher === 'destroyed'
        ? Object.fromEntries(fields.map((field) => [field, ERASED]))
        : this.openedTogether(event, fields, cipher, sealed);
    const data: Record<string, Json> = {};
    // By hand: leaving one member out of a spread costs several times as much.
    for (const name of Object.keys(event.data)) if (name !== PERSONAL_MEMBER) data[name] = event.data[name]!;
    return { ...event, data: Object.assign(data, personal) };
  }

  private openedTogether(
    event: LoggedEvent,
    fields: readonly string[],
    cipher: SubjectCipher,
    sealed: EncryptedField,
  ): JsonObject {
    const personal = this.opened(event, PERSONAL_MEMBER, cipher, sealed) as JsonObject;
    for (const name of Object.keys(personal)) {
      if (!fields.includes(name)) refuseFault(event, name, 'is declared as no personal field');
      refuseFault(event, name, isErased(personal[name]) ? FALSE_ERASURE : null);
    }
    return personal;
  }

  /** One stored value in plain; a value that was never encrypted is given back as it is. */
  async revealField(id: string, pointer: string, value: Json): Promise<Json> {
    if (!isEncrypted(value)) return value;
    const { kid } = value.$enc;
    const cipher = this.ciphers.cachedKid(kid) ?? (await this.ciphers.forKid(kid));
    if (cipher === 'destroyed') return ERASED;
    const plain = decryptField(cipher, id, pointer, value);
    if (isErased(plain)) throw new UnreadableFieldError(id, pointer, kid);
    return plain;
  }

  /**
   * Whether the store of data keys says of a key that it is destroyed, or that its person is being erased.
   * @throws UnknownSubjectKeyError
   */
  async isDestroyed(kid: string): Promise<boolean> {
    return (this.ciphers.cachedKid(kid) ?? (await this.ciphers.forKid(kid))) === 'destroyed';
  }

  /** What is wrong with a personal field of an event as stored, in words; null where nothing is. */
  protected personalFault(type: string, data: JsonObject): string | null {
    const definition = this.registry.get(type);
    const subject = definition ? this.subjectOf(definition, data) : null;
    if (subject === null) return null;
    for (const field of definition!.personalTogether ? [PERSONAL_MEMBER] : definition!.personal!) {
      const fault = storedFieldFault(data[field], subject);
      if (fault !== null) return `its field "${field}" ${fault}`;
    }
    return null;
  }

  protected dataText(definition: EventDefinition, id: string, data: JsonObject, ciphers: PreparedCiphers): string {
    const subject = this.subjectOf(definition, data);
    const cipher = subject === null ? undefined : ciphers.get(subject);
    if (subject !== null && !cipher) throw new Error(`the data key of ${subject} was not prepared`);
    if (cipher && definition.personalTogether) return this.dataTogether(definition, id, data, cipher);
    let text = '';
    for (const name of Object.keys(data).sort()) {
      const field = this.fieldOf(definition, name);
      const value = data[name];
      if (field.personal) refuseReserved(name, value);
      const stored = field.personal && cipher ? encryptField(cipher, id, `/${name}`, value) : canonicalize(value);
      text += (text === '' ? '' : ',') + field.lead + stored;
    }
    return `{${text}}`;
  }

  /** One cipher for all personal fields: setting one up costs more than what it encrypts. */
  private dataTogether(definition: EventDefinition, id: string, data: JsonObject, cipher: SubjectCipher): string {
    const open: string[] = [];
    const personal: string[] = [];
    for (const name of Object.keys(data).sort()) {
      const { lead, personal: isPersonal } = this.fieldOf(definition, name);
      if (isPersonal) refuseReserved(name, data[name]);
      (isPersonal ? personal : open).push(lead + canonicalize(data[name]));
    }
    const sealed = `"${PERSONAL_MEMBER}":${encryptText(cipher, id, TOGETHER, `{${personal.join(',')}}`)}`;
    // Members are in order of their names; of identifiers, quoted ones sort as they do without quotes.
    const place = open.findIndex((member) => member > sealed);
    open.splice(place < 0 ? open.length : place, 0, sealed);
    return `{${open.join(',')}}`;
  }

  private fieldOf(definition: EventDefinition, name: string): DeclaredField {
    const field = this.fieldsOf(definition).get(name);
    if (!field) throw new Error(`event type ${definition.type} declares no field "${name}"`);
    return field;
  }

  private fieldsOf(definition: EventDefinition): ReadonlyMap<string, DeclaredField> {
    let fields = this.declared.get(definition);
    if (!fields) {
      const field = (personal: boolean) => (name: string) => [name, { lead: `${quote(name)}:`, personal }] as const;
      fields = new Map([...definition.plain.map(field(false)), ...(definition.personal ?? []).map(field(true))]);
      this.declared.set(definition, fields);
    }
    return fields;
  }

  protected definition(type: string): EventDefinition {
    const definition = this.registry.get(type);
    if (!definition) throw new Error(`event type ${type} is not registered`);
    return definition;
  }

  private subjectOf(definition: EventDefinition, data: JsonObject): string | null {
    return definition.personal?.length ? definition.subject!(data) : null;
  }
}

/** What MACE itself says of personal values is nobody's value: read back, it could not be told from what MACE says. */
function refuseReserved(field: string, value: unknown): void {
  if (!isErased(value) && !isEncrypted(value)) return;
  const form = 'no object of the one member "$erased": true, and none with a member "$enc": both are reserved';
  throw new MaceError('INVALID_INPUT', `${field}: ${form}`);
}

function refuseFault({ stream, revision }: LoggedEvent, field: string, fault: string | null): void {
  if (fault !== null) throw new IntegrityError(stream, revision, `its field "${field.slice(0, 80)}" ${fault}`);
}
