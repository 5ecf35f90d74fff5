import { field } from '../../fields/define.ts';
import type { JsonSchema, RuleViolation } from '../../fields/field.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import { type Json, type JsonObject, own } from '../../kernel/json.ts';
import type { Locale } from '../../kernel/messages/catalogue.ts';
import { type RecordedAction, recordedActions } from '../../records/history/recorded.ts';
import type { WebhookChange, WebhookValues } from '../../service/webhooks/webhooks.ts';
import { createInput, refined } from '../input.ts';

export interface ReadWebhook {
  readonly change: WebhookChange;
  readonly errors: readonly FieldError[];
}

export interface WebhookInputParts {
  /** Models that tell of events. */
  readonly models: readonly string[];
  readonly takesUrl: (url: string) => boolean;
  readonly userExists: (id: number) => Promise<boolean>;
  readonly locale: Locale;
}

/** Seconds for which a secret that was replaced may sign on: 30 days. */
export const longestOverlap = 30 * 86_400;

const order = ['url', 'models', 'actions', 'user_id', 'disabled'];

const isTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Names of a list that are all among the known ones, without doubles, or the rule that they break. */
const readNames = <Name extends string>(
  sent: Json | undefined,
  known: readonly Name[],
): readonly Name[] | RuleViolation => {
  if (sent === undefined || sent === null) return { rule: 'required' };
  if (!isTexts(sent)) return { rule: 'type', params: { type: 'array' } };
  if (sent.length === 0) return { rule: 'required' };
  const found = known.filter((name) => sent.includes(name));
  return new Set(sent).size === found.length
    ? found
    : { rule: 'enum', params: { choices: known.join(', ') } };
};

/** Reads and checks the webhooks that administrators make and change. */
export const createWebhookInput = ({ models, takesUrl, userExists, locale }: WebhookInputParts) => {
  const fields = {
    url: field.text({ required: true }),
    user_id: field.integer({ required: true, min: 1 }),
  };
  const created = createInput(fields, locale);
  const input = createInput({ ...fields, disabled: field.boolean({ required: true }) }, locale);

  const readLists = (body: JsonObject, action: 'create' | 'update') => {
    const errors: FieldError[] = [];
    const read = <Name extends string>(name: string, known: readonly Name[], fallback?: readonly Name[]) => {
      const sent = own(body, name);
      if (sent === undefined && (action === 'update' || fallback !== undefined))
        return action === 'update' ? undefined : fallback;
      const names = readNames(sent, known);
      if (!('rule' in names)) return names;
      errors.push(input.error(name, names));
      return undefined;
    };
    return {
      models: read('models', models),
      actions: read<RecordedAction>('actions', recordedActions, recordedActions),
      errors,
    };
  };

  const lists = {
    models: { type: 'array', items: { type: 'string' }, minItems: 1 },
    actions: { type: 'array', items: { type: 'string', enum: [...recordedActions] }, minItems: 1 },
    url: { maxLength: 2_000, pattern: '^https?://' },
  } as const satisfies Readonly<Record<string, JsonSchema>>;
  const { required: _none, ...changes } = input.schema;
  const createSchema = refined(created.schema, lists);

  return {
    schemas: {
      create: { ...createSchema, required: ['url', 'models', 'user_id'] } as JsonSchema,
      update: refined(changes, lists),
    },
    /** The message of a user who was deleted after the look-up. */
    unknownUser: (): FieldError => input.error('user_id', { rule: 'reference' }),

    read: async (body: JsonObject, action: 'create' | 'update'): Promise<ReadWebhook> => {
      const { values, errors } = (action === 'create' ? created : input).read(body, action);
      const read = readLists(body, action);
      const found = [...errors, ...read.errors];
      const bad = new Set(found.map((error) => error.field));
      const { url, user_id: userId, disabled } = values;
      if (typeof url === 'string' && !bad.has('url') && !takesUrl(url))
        found.push(input.error('url', { rule: 'webhook_url' }));
      if (typeof userId === 'number' && !bad.has('user_id') && !(await userExists(userId)))
        found.push(input.error('user_id', { rule: 'reference' }));
      found.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
      return {
        change: {
          ...(typeof url === 'string' ? { url } : {}),
          ...(read.models === undefined ? {} : { models: read.models }),
          ...(read.actions === undefined ? {} : { actions: read.actions }),
          ...(typeof userId === 'number' ? { userId } : {}),
          ...(typeof disabled === 'boolean' ? { disabled } : {}),
        },
        errors: found,
      };
    },
  };
};

/** What a body that broke no rule makes. */
export const webhookValues = ({ url, models, actions, userId }: WebhookChange): WebhookValues => {
  if (url === undefined || models === undefined || actions === undefined || userId === undefined)
    throw new Error('a webhook was read without what it needs');
  return { url, models, actions, userId };
};
