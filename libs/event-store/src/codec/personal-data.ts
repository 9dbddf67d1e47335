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
import { OpenedTexts } from './opened-texts.js';
import {
  decryptField,
  type EncryptedField,
  ERASED,
  isEncrypted,
  isErased,
  storedFieldFault,
  UnreadableFieldError,
} from './personal-fields.js';
import type { SealOrder } from './seal-order.js';
import type { SubjectCipher, SubjectCiphers } from './subject-ciphers.js';

interface DeclaredField {
  readonly name: string;
  /** As it stands in the pointer of an encrypted field. */
  readonly pointer: string;
  /** Name and colon, as they stand in the text. */
  readonly lead: string;
  readonly personal: boolean;
}

/** The data keys of one append, by subject. */
export type PreparedCiphers = ReadonlyMap<string, SubjectCipher>;

const TOGETHER = `/${PERSONAL_MEMBER}`;
const FALSE_ERASURE = 'says that it is erased, and its key is there';
const UNENCRYPTED = 'is somebody’s, and is not encrypted';
const NOBODYS = 'its data names nobody whose it could be';

/** How the data of events is stored and read, personal fields under their subject's key (spec/privacy.md, "Personal fields"). */
export class PersonalData {
  /** In the order of their names, in which canonical JSON has them. */
  private readonly declared = new Map<EventDefinition, readonly DeclaredField[]>();
  private readonly openedTexts = new OpenedTexts();

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
    const subject = this.storedSubject(definition, event.data);
    if (subject === undefined) throw new IntegrityError(event.stream, event.revision, NOBODYS);
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
    return revealed(this.ciphers.cachedKid(kid) ?? (await this.ciphers.forKid(kid)), id, pointer, value);
  }

  /**
   * As `revealField`, at once; undefined where its data key is not in memory. Of a value that stays in memory a text is
   * opened once, as long as the key is there: what is asked for most often is asked for here.
   */
  revealFieldCached(id: string, pointer: string, value: Json): Json | undefined {
    if (!isEncrypted(value)) return value;
    const cipher = this.ciphers.cachedKid(value.$enc.kid);
    if (!cipher || cipher === 'destroyed') return cipher && ERASED;
    const known = this.openedTexts.get(cipher, id, pointer, value);
    if (known !== undefined) return known;
    const plain = revealed(cipher, id, pointer, value);
    if (typeof plain === 'string') this.openedTexts.keep(cipher, value, { id, pointer, text: plain });
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
    const subject = definition ? this.storedSubject(definition, data) : null;
    if (subject === undefined) return NOBODYS;
    const { personalTogether = false, personal = [] } = definition ?? {};
    // What is nobody's stands in the clear, each field under its own name.
    if (subject === null)
      return isEncrypted(data[PERSONAL_MEMBER]) || personal.some((field) => isEncrypted(data[field])) ? NOBODYS : null;
    for (const field of personalTogether ? [PERSONAL_MEMBER] : personal) {
      const value = data[field];
      const isThere = personalTogether || value !== undefined;
      const fault = storedFieldFault(value, subject) ?? (isThere && !isEncrypted(value) ? UNENCRYPTED : null);
      if (fault !== null) return `its field "${field}" ${fault}`;
    }
    return null;
  }

  /** Writes the data of an event as it is stored; what its chainHashField says is the chain's. */
  protected writeData(order: SealOrder, definition: EventDefinition, data: JsonObject, ciphers: PreparedCiphers): void {
    const subject = this.subjectOf(definition, data);
    const cipher = subject === null ? undefined : ciphers.get(subject);
    if (subject !== null && !cipher) throw new Error(`the data key of ${subject} was not prepared`);
    if (cipher && definition.personalTogether) return this.writeTogether(order, definition, data, cipher);
    const seal = definition.chainHashField;
    let found = 0;
    for (const { name, pointer, lead, personal } of this.fieldsOf(definition)) {
      const value = data[name];
      if (value === undefined) continue;
      order.write((found++ === 0 ? '{' : ',') + lead);
      if (personal) refuseReserved(name, value);
      if (name === seal) writeHash(order);
      else if (personal && cipher) order.writeField(cipher, pointer, canonicalize(value));
      else order.write(canonicalize(value));
    }
    this.refuseUndeclared(definition, data, found);
    order.write(found === 0 ? '{}' : '}');
  }

  /** One cipher for all personal fields: setting one up costs more than what it encrypts. */
  private writeTogether(order: SealOrder, definition: EventDefinition, data: JsonObject, cipher: SubjectCipher): void {
    const fields = this.fieldsOf(definition);
    let personal = '';
    let found = 0;
    for (const { name, lead, personal: isPersonal } of fields) {
      const value = data[name];
      if (value === undefined) continue;
      found++;
      if (!isPersonal) continue;
      refuseReserved(name, value);
      personal += (personal === '' ? '{' : ',') + lead + canonicalize(value);
    }
    this.refuseUndeclared(definition, data, found);
    const writePersonal = (): void => {
      order.write(`"${PERSONAL_MEMBER}":`);
      order.writeField(cipher, TOGETHER, personal === '' ? '{}' : personal + '}');
    };
    let isWritten = false;
    let separator = '{';
    for (const { name, lead, personal: isPersonal } of fields) {
      const value = data[name];
      if (value === undefined || isPersonal) continue;
      order.write(separator);
      separator = ',';
      if (!isWritten && name > PERSONAL_MEMBER) {
        writePersonal();
        order.write(',');
        isWritten = true;
      }
      order.write(lead);
      if (name === definition.chainHashField) writeHash(order);
      else order.write(canonicalize(value));
    }
    if (!isWritten) {
      order.write(separator);
      writePersonal();
    }
    order.write('}');
  }

  /** @param found how many fields of the data were declared and are there */
  private refuseUndeclared(definition: EventDefinition, data: JsonObject, found: number): void {
    const names = Object.keys(data);
    if (names.length === found) return;
    const known = this.fieldsOf(definition).map(({ name }) => name);
    const undeclared = names.find((name) => !known.includes(name));
    if (undeclared !== undefined) throw new Error(`event type ${definition.type} declares no field "${undeclared}"`);
    // One that is declared and undefined.
    canonicalize(data);
  }

  private fieldsOf(definition: EventDefinition): readonly DeclaredField[] {
    let fields = this.declared.get(definition);
    if (!fields) {
      const { plain, personal = [] } = definition;
      const field = (name: string): DeclaredField => ({
        name,
        pointer: `/${name}`,
        lead: `${quote(name)}:`,
        personal: personal.includes(name),
      });
      fields = [...plain, ...personal].sort().map(field);
      this.declared.set(definition, fields);
    }
    return fields;
  }

  protected definition(type: string): EventDefinition {
    const definition = this.registry.get(type);
    if (!definition) throw new Error(`event type ${type} is not registered`);
    return definition;
  }

  /** Whose a stored event is; undefined where what says so is of a form that no release writes, whoever signed it. */
  private storedSubject(definition: EventDefinition, data: JsonObject): string | null | undefined {
    try {
      const subject = this.subjectOf(definition, data);
      return subject === null || typeof subject === 'string' ? subject : undefined;
    } catch {
      // What is pure, and fails, fails for what it was given.
      return undefined;
    }
  }

  private subjectOf(definition: EventDefinition, data: JsonObject): string | null {
    return definition.personal?.length ? definition.subject!(data) : null;
  }
}

function writeHash(order: SealOrder): void {
  order.write('"');
  order.writePrevHash();
  order.write('"');
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

/** @throws UnreadableFieldError */
function revealed(cipher: SubjectCipher | 'destroyed', id: string, pointer: string, field: EncryptedField): Json {
  if (cipher === 'destroyed') return ERASED;
  const plain = decryptField(cipher, id, pointer, field);
  if (isErased(plain)) throw new UnreadableFieldError(id, pointer, field.$enc.kid);
  return plain;
}
