import type { JsonSchema, RuleViolation } from '../../fields/field.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../kernel/json.ts';
import { fieldError } from '../../kernel/messages/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { PermissionChange } from '../../service/roles/roles.ts';
import { refuseInvalid } from '../input.ts';
import type { Services } from '../services.ts';

/** Entries of one request: a table of 40 models and 15 roles has some 2,400 in all. */
const most = 2_500;

const names = ['role', 'model', 'action'] as const;

const item = {
  type: 'object',
  title: 'PermissionChange',
  properties: {
    role: { type: 'string' },
    model: { type: 'string' },
    action: { type: 'string' },
    allowed: { type: 'boolean' },
  },
  required: ['role', 'model', 'action', 'allowed'],
} as const satisfies JsonSchema;

const typeViolation = (type: string): RuleViolation => ({ rule: 'type', params: { type } });

/** Reads the body that changes many permissions at once. */
export const permissionChangesInput = ({
  roles,
  permissionEntries,
  catalogue,
}: Pick<Services, 'roles' | 'permissionEntries' | 'catalogue'>) => {
  const error = (field: string, { rule, params }: RuleViolation) =>
    fieldError(catalogue, field, field, rule, params);

  const listIn = (body: JsonObject): readonly Json[] => {
    const sent = own(body, 'permissions');
    if (sent === undefined || sent === null) refuseInvalid([error('permissions', { rule: 'required' })]);
    if (!Array.isArray(sent)) {
      refuseInvalid([error('permissions', typeViolation(catalogue.types.array))]);
      return [];
    }
    if (sent.length > most) throw new Problem('batch_too_large', { params: { records: most } });
    return sent;
  };

  /** What is wrong with one entry; its names are looked up in those of this request's moment. */
  const violation = (
    entry: Json,
    known: ReadonlySet<string>,
  ): readonly [name: string | undefined, violation: RuleViolation] | undefined => {
    if (!isJsonObject(entry)) return [undefined, typeViolation(catalogue.types.object)];
    for (const name of names)
      if (typeof own(entry, name) !== 'string') return [name, typeViolation(catalogue.types.string)];
    if (typeof own(entry, 'allowed') !== 'boolean')
      return ['allowed', typeViolation(catalogue.types.boolean)];
    if (!known.has(String(own(entry, 'role')))) return ['role', { rule: 'reference' }];
    const { model, action } = entry;
    const registered = permissionEntries.some((one) => one.model === model && one.action === action);
    return registered ? undefined : ['action', { rule: 'reference' }];
  };

  return {
    schema: {
      type: 'object',
      properties: { permissions: { type: 'array', maxItems: most, items: item } },
      required: ['permissions'],
    } satisfies JsonSchema,

    /**
     * The last word on an entry holds where it is named twice.
     * @throws Problem `invalid_record` naming each entry that is none, `batch_too_large`
     */
    read: async (body: JsonObject): Promise<readonly PermissionChange[]> => {
      const entries = listIn(body);
      const known = new Set(await roles.names());
      refuseInvalid(
        entries.flatMap((entry, index) => {
          const [name, found] = violation(entry, known) ?? [];
          if (found === undefined) return [];
          return [error(['permissions', index, name].filter((part) => part !== undefined).join('.'), found)];
        }),
      );
      const changes = entries as unknown as readonly PermissionChange[];
      const last = new Map(changes.map((each) => [`${each.role} ${each.model} ${each.action}`, each]));
      return [...last.values()].map(({ role, model, action, allowed }) => ({ role, model, action, allowed }));
    },
  };
};
