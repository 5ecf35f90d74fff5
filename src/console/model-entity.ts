/** The models of the application as an entity: the list from which the administration area makes its menu. */

import { type Fragment, join, literal, sql } from '../database/statement.ts';
import { field } from '../fields/define.ts';
import { always, computed, defineEntity, type Entity } from '../records/entity.ts';

/** A model, as the list of models shows it. */
export interface ModelEntry {
  readonly model: string;
  readonly label: string;
  /** Label of several records. */
  readonly plural_label: string;
  /** Last segment of the resource's path. */
  readonly path: string;
  /** Template of a record's name; null where a record has no other name than its id. */
  readonly display: string | null;
  /** Number of fields, including `id` and the timestamps. */
  readonly fields: number;
  /** Number of row rules that look up its records, which are memberships then. */
  readonly opens: number;
  /** True if its changes become events. */
  readonly events: boolean;
  /** Names of its icon and of its heading in the menu. */
  readonly icon: string | null;
  readonly menu: string | null;
}

/** A text from the model file, or null, with a type: a column of nulls alone has none. */
const textOrNull = (text: string | null): Fragment =>
  text === null ? sql`cast(null as text)` : literal(text);

const valuesOf = ({
  model,
  label,
  plural_label,
  path,
  display,
  fields,
  opens,
  events,
  icon,
  menu,
}: ModelEntry): Fragment =>
  sql`select ${literal(model)} as "model", ${literal(label)} as "label", ${literal(plural_label)} as "plural_label", ${literal(path)} as "path", ${textOrNull(display)} as "display", ${literal(fields)} as "fields", ${literal(opens)} as "opens", ${literal(events ? 1 : 0)} = 1 as "events", ${textOrNull(icon)} as "icon", ${textOrNull(menu)} as "menu"`;

/** The models of the application as rows, so that they can be listed like other records. */
export const modelEntity = (models: readonly ModelEntry[]): Entity => {
  const none = sql`${valuesOf({ model: '', label: '', plural_label: '', path: '', display: null, fields: 0, opens: 0, events: false, icon: null, menu: null })} where 1 = 0`;
  const rows = models.length === 0 ? none : join(models.map(valuesOf), ' union all ');
  return defineEntity('models', {
    title: 'ModelEntry',
    from: sql`(${rows})`,
    fields: {
      model: field.string(always),
      label: field.string(always),
      plural_label: computed(field.string(always), { note: 'Label of several records' }),
      path: field.string(always),
      display: computed(field.string(), { note: 'Template of the name of a record, such as `{number}`' }),
      fields: field.integer(always),
      opens: computed(field.integer(always), {
        note: 'Number of conditions in row rules that look up its records, which are memberships then',
      }),
      events: computed(field.boolean(always), { note: 'Whether its changes become events' }),
      icon: field.string(),
      menu: computed(field.string(), { note: 'Heading above it in the menu' }),
    },
    key: 'model',
    list: {
      operation: 'listModels',
      path: '/admin/meta',
      summary: { 'zh-CN': '模型列表', en: 'List models' },
    },
  });
};
