/** References to a record and what its deletion would do to them, as the administration area shows them. */

import type { JsonSchema } from '../fields/field.ts';
import type { RecordId, RecordKey } from '../fields/key.ts';
import type { QueryDocs } from '../http/endpoint.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Label } from '../kernel/messages.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import { invalidParameter, parseQueryString } from '../records/list.ts';
import type { Related } from '../records/relations.ts';
import { countedReferences, type Forecast } from './operations/forecast.ts';

/** Records of the service's own that refer to one of them. */
export interface OwnReferences {
  readonly model: string;
  /** Path of their list below `/admin`. */
  readonly resource: string;
  readonly field: string;
  readonly on_delete: 'restrict' | 'null' | 'cascade' | 'keep';
  readonly count: number;
  readonly more: boolean;
  readonly to: readonly (number | string)[];
}

const refusals = [
  'still_referenced',
  'cascade_too_large',
  'last_super_admin',
  'role_in_use',
  'built_in_role',
] as const satisfies readonly ProblemName[];

export type Refusal = (typeof refusals)[number];

const key: JsonSchema = { type: ['integer', 'string'] };

const reference = {
  model: { type: 'string' },
  resource: { type: 'string', description: 'Path of their list below /admin' },
  field: { type: 'string', description: 'Their field that refers' },
  on_delete: {
    type: 'string',
    enum: ['restrict', 'null', 'cascade', 'keep'],
    description:
      'They keep the record, the reference becomes null, they are deleted too, or they stay as they are: the user made them for others',
  },
  count: {
    type: ['integer', 'null'],
    description: `Number of records, at most ${countedReferences}; null: there are some, which this caller cannot read`,
  },
  more: { type: 'boolean', description: 'Whether there are further ones' },
  trash: {
    type: 'boolean',
    description:
      'For cascade: the records are moved to the trash. For null: the reference is set again when the record is restored',
  },
  to: {
    type: 'array',
    items: key,
    description:
      'Records that they refer to: the record itself, or those deleted with it; empty if there are too many',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const refusal = { id: key, problem: { type: 'string', enum: [...refusals] } } as const;

export const referencesSchema: JsonSchema = {
  title: 'References',
  type: 'object',
  properties: {
    refused: {
      type: 'array',
      items: { type: 'object', properties: refusal, required: Object.keys(refusal) },
      description: 'Records that would not be deleted, and why',
    },
    references: {
      type: 'array',
      items: { type: 'object', properties: reference, required: Object.keys(reference) },
    },
  },
  required: ['refused', 'references'],
};

export const referencesWords: Label = {
  'zh-CN': `删除之前：哪些记录引用它，以及删除会对它们做什么（阻止删除、置为空、随之删除，含逐级随之删除的记录）。每项至多计到 ${countedReferences}。钩子仍可拒绝删除。`,
  en: `Before a deletion: the records that refer to it, directly or through other deleted records, and the effect on them. They block the deletion, their reference becomes null, or they are deleted too. Counted up to ${countedReferences} each. A hook can still reject the deletion.`,
};

export const answerReferences = (
  {
    refused,
    references,
  }: Pick<Forecast, 'references'> & {
    readonly refused: readonly { readonly id: RecordId | string; readonly problem: ProblemName }[];
  },
  related: Related,
  own: readonly OwnReferences[] = [],
): JsonObject => ({
  refused: refused.map(({ id, problem }) => ({ id, problem })),
  references: [
    ...references.map(({ referrer: { model, field }, onDelete, count, more, trash, to }) => {
      const hidden = related(model.name) === undefined;
      return {
        model: model.name,
        resource: `records/${model.path}`,
        field: field.name,
        on_delete: onDelete,
        count: hidden ? null : count,
        more: hidden ? false : more,
        trash,
        to: hidden ? [] : [...to],
      };
    }),
    ...own
      .filter(({ count }) => count > 0)
      .map(({ to, ...rest }) => ({ ...rest, trash: false, to: [...to] })),
  ],
});

/**
 * Records that one request asks about.
 * @limit Lists | records that a search for references asks about | count | 400
 */
export const maxAsked = 100;

export const idsQuery: QueryDocs = {
  name: 'ids',
  description: {
    'zh-CN': `以逗号分隔的 id，至多 ${maxAsked} 个`,
    en: `Ids, separated by commas, ${maxAsked} at most`,
  },
  schema: { type: 'string' },
};

/** An id of a list: one that may contain a comma is percent-encoded. */
const listedId = (text: string, { givenBy, parts }: RecordKey): string => {
  if (givenBy !== 'caller' && parts === undefined) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidParameter(idsQuery.name);
  }
};

/** The ids of `?ids=1,2,3`. @throws Problem `invalid_parameter` */
export const parseIds = (query: string, key: RecordKey): readonly RecordId[] => {
  const parameters = parseQueryString(query);
  const stray = parameters.find(({ name }) => name !== idsQuery.name && name !== '_');
  if (stray !== undefined) throw invalidParameter(stray.name);
  const given = parameters.filter(({ name }) => name === idsQuery.name);
  const ids = (given[0]?.value ?? '').split(',').map((text) => key.parse(listedId(text, key)));
  const known = ids.filter((id) => id !== undefined);
  if (given.length !== 1 || known.length !== ids.length || ids.length > maxAsked)
    throw invalidParameter(idsQuery.name);
  return known;
};
