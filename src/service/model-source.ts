import type { Source } from '../database/source.ts';
import { type Fragment, join, literal, sql } from '../database/statement.ts';
import { field } from '../fields/define.ts';
import { always, column, source } from './sources.ts';

/** What the list of models says of one. */
export interface ModelEntry {
  readonly model: string;
  readonly label: string;
  /** Last part of the resource's path. */
  readonly path: string;
  /** How many fields it has, `id` and the timestamps included. */
  readonly fields: number;
  /** How many row rules ask for its records, which are then memberships. */
  readonly opens: number;
  /** Whether its changes are told of. */
  readonly events: boolean;
  /** Name of its picture, and the heading above it in the menu. */
  readonly icon: string | null;
  readonly menu: string | null;
}

export const modelFields = Object.freeze([
  'model',
  'label',
  'path',
  'fields',
  'opens',
  'events',
  'icon',
  'menu',
] as const);

/** A text of the model file, or none: typed, as a column of nothing but nulls has no type of its own. */
const textOrNull = (text: string | null): Fragment =>
  text === null ? sql`cast(null as text)` : literal(text);

const valuesOf = ({ model, label, path, fields, opens, events, icon, menu }: ModelEntry): Fragment =>
  sql`select ${literal(model)} as "model", ${literal(label)} as "label", ${literal(path)} as "path", ${literal(fields)} as "fields", ${literal(opens)} as "opens", ${literal(events ? 1 : 0)} = 1 as "events", ${textOrNull(icon)} as "icon", ${textOrNull(menu)} as "menu"`;

/** The models of the application as rows, so that they are listed as everything else is. */
export const modelSource = (models: readonly ModelEntry[]): Source => {
  const none = sql`${valuesOf({ model: '', label: '', path: '', fields: 0, opens: 0, events: false, icon: null, menu: null })} where 1 = 0`;
  const rows = models.length === 0 ? none : join(models.map(valuesOf), ' union all ');
  return source(
    'models',
    sql`(${rows})`,
    [
      column('model', field.string(always)),
      column('label', field.string(always)),
      column('path', field.string(always)),
      column('fields', field.integer(always)),
      column('opens', field.integer(always)),
      column('events', field.boolean(always)),
      column('icon', field.string()),
      column('menu', field.string()),
    ],
    [],
    'model',
  );
};
