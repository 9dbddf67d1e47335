import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { GrantConsentHandler } from './commands/grant-consent.js';
import { HandleTextHandler } from './commands/handle-text.js';
import { RecordConsentHandler } from './commands/record-consent.js';
import { RevokeConsentHandler } from './commands/revoke-consent.js';
import { ListConsentsHandler } from './queries/list-consents.js';

/** Privacy's place in a Nest application, which gives it Consents and TextHandling. */
@Module({
  imports: [CqrsModule],
  providers: [GrantConsentHandler, RecordConsentHandler, RevokeConsentHandler, HandleTextHandler, ListConsentsHandler],
})
export class PrivacyModule {}
