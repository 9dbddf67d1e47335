import { Body, Controller, Post } from '@nestjs/common';
import { IsString, MaxLength, MinLength } from 'class-validator';

import { Principals } from '#lib/access';

import { Doc } from './doc.js';
import { Permission } from './permission.js';

class RegisterPrincipal {
  /** As the token will carry it. */
  @IsString()
  @MinLength(1)
  @MaxLength(256)
  user_id!: string;
}

/** What only the command line on the data folder may ask. */
@Controller('local')
export class LocalController {
  constructor(private readonly principals: Principals) {}

  /** Registers a person, so that a token that nobody could use is never printed. */
  @Post('principals')
  @Permission('principals.register')
  @Doc({
    summary: 'Registers a person; through the socket in the data folder only',
    request: { user_id: 'tuff' },
    answer: { user_id: 'user_tuff' },
  })
  async register(@Body() { user_id: userId }: RegisterPrincipal): Promise<{ user_id: string }> {
    return { user_id: await this.principals.ensure(userId, 'user') };
  }
}
