import type { JsonObject } from '../../kernel/json.ts';
import type { ProblemName } from '../../kernel/problem-table.ts';

/** Data of an error response beside its code and message, unless it is a list of fields. */
export interface ProblemData {
  /** Name of the schema. */
  readonly name: string;
  readonly schema: JsonObject;
  readonly example: JsonObject;
}

export const problemData: Partial<Readonly<Record<ProblemName, ProblemData>>> = {
  second_factor_required: {
    name: 'SecondFactorAnswer',
    schema: {
      type: 'object',
      properties: {
        ticket: { type: 'string', description: 'to be sent to `POST /admin/session/second-factor`' },
        methods: {
          type: 'array',
          items: { type: 'string', enum: ['totp', 'passkey', 'recovery_code'] },
          description: 'those that this user has',
        },
        expires_at: { type: 'string', format: 'date-time' },
        passkey_options: {
          type: 'object',
          description: 'PublicKeyCredentialRequestOptionsJSON, where the user has a passkey',
        },
      },
      required: ['ticket', 'methods', 'expires_at'],
    },
    example: {
      ticket: 'Zx0n5XlLk1m8yQ2b7sVw3rT9uPa4cEdG6hJfKiLoMnA',
      methods: ['totp', 'recovery_code'],
      expires_at: '2026-01-31T08:05:00.000Z',
    },
  },
};
