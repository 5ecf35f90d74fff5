import { type Fragment, join, literal, sql } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, computed, defineEntity, type Entity } from '../../records/entity.ts';

/** A model as the list of models shows it. */
export interface ModelEntry {
  readonly model: string;
  readonly label: string;
  /** Last part of the resource's path. */
  readonly path: string;
  /** How many fields it has, `id` and the timestamps included. */
  readonly fields: number;
  /** How many row rules ask for its records, which are then memberships. */
  readonly opens: number;
  /** Whether its changes become events. */
  readonly events: boolean;
  /** Name of its picture, and the heading above it in the menu. */
  readonly icon: string | null;
  readonly menu: string | null;
}

/** A text of the model file, or none: typed, as a column of nothing but nulls has no type of its own. */
const textOrNull = (text: string | null): Fragment =>
  text === null ? sql`cast(null as text)` : literal(text);

const valuesOf = ({ model, label, path, fields, opens, events, icon, menu }: ModelEntry): Fragment =>
  sql`select ${literal(model)} as "model", ${literal(label)} as "label", ${literal(path)} as "path", ${literal(fields)} as "fields", ${literal(opens)} as "opens", ${literal(events ? 1 : 0)} = 1 as "events", ${textOrNull(icon)} as "icon", ${textOrNull(menu)} as "menu"`;

/** The models of the application as rows, so that they are listed as everything else is. */
export const modelEntity = (models: readonly ModelEntry[]): Entity => {
  const none = sql`${valuesOf({ model: '', label: '', path: '', fields: 0, opens: 0, events: false, icon: null, menu: null })} where 1 = 0`;
  const rows = models.length === 0 ? none : join(models.map(valuesOf), ' union all ');
  return defineEntity('models', {
    title: 'ModelEntry',
    from: sql`(${rows})`,
    fields: {
      model: field.string(always),
      label: field.string(always),
      path: field.string(always),
      fields: field.integer(always),
      opens: computed(field.integer(always), {
        note: 'How many conditions of row rules its records, memberships then, can meet',
      }),
      events: computed(field.boolean(always), { note: 'Whether its changes are told of' }),
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
