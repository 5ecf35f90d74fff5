/** Reads the body of an import: parameters and lines, with errors that name the line. */

import type { FieldError } from '../../kernel/field-error.ts';
import { unescapeFormulas } from '../../kernel/formulas.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';
import type { ImportLine } from '../operations/import.ts';
import type { ServedResource } from '../operations/served-resource.ts';

/** Lines of one request. */
export const maxLines = 500;

/** Parameters of an import. */
export interface ImportRequest {
  readonly preview: boolean;
  readonly by: string | undefined;
  readonly lines: readonly ImportLine[];
}

const invalid = (name: string): Problem => new Problem('invalid_parameter', { params: { name } });

/** A field by which a record can be found: its id, or a value that is there once, and that a new record can have. */
const finds = ({ fields }: ResourceModel, name: string): boolean => {
  const field = fields.get(name);
  return name === 'id' || (field?.unique === true && !field.serverSet);
};

/** A cell of CSV as a body would bring it; nothing between two commas is null. */
const ofText = (value: Json, { type }: ModelField): Json =>
  typeof value === 'string' ? type.fromText(value.includes("'") ? unescapeFormulas(value) : value) : value;

const readLine = (
  { model, collision }: ServedResource,
  entry: Json,
  place: number,
  {
    by,
    texts,
    seen,
  }: { readonly by: string | undefined; readonly texts: boolean; readonly seen: Set<string> },
): ImportLine => {
  const number = isJsonObject(entry) ? own(entry, 'line') : undefined;
  const given = isJsonObject(entry) ? own(entry, 'values') : undefined;
  if (!Number.isSafeInteger(number) || given === undefined || !isJsonObject(given))
    throw invalid(`lines.${place}`);
  const values: Record<string, Json> = {};
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(given)) {
    const field = model.fields.get(name);
    if (field === undefined) errors.push({ ...collision({ field: name, rule: 'reference' }), field: name });
    else if (name === by || !field.serverSet) values[name] = texts ? ofText(value, field) : value;
  }
  const found = by === undefined ? undefined : own(values, by);
  // The order of two lines for one record would be chance.
  if (by !== undefined && found != null && seen.has(JSON.stringify(found)))
    errors.push(collision({ field: by, rule: 'unique' }));
  seen.add(JSON.stringify(found ?? null));
  return { number: Number(number), values: values as JsonObject, errors };
};

/** Reads the body of an import. @throws Problem `invalid_parameter`, naming the place, `batch_too_large` */
export const readImport = (resource: ServedResource, body: JsonObject): ImportRequest => {
  const unknown = Object.keys(body).find((key) => !['preview', 'by', 'texts', 'lines'].includes(key));
  if (unknown !== undefined) throw invalid(unknown);
  const [preview = false, texts = false] = [own(body, 'preview'), own(body, 'texts')];
  const by = own(body, 'by') ?? undefined;
  const lines = own(body, 'lines');
  if (typeof preview !== 'boolean') throw invalid('preview');
  if (typeof texts !== 'boolean') throw invalid('texts');
  if (by !== undefined && (typeof by !== 'string' || !finds(resource.model, by))) throw invalid('by');
  if (!Array.isArray(lines)) throw invalid('lines');
  if (lines.length > maxLines) throw new Problem('batch_too_large', { params: { records: maxLines } });
  const seen = new Set<string>();
  const read = lines.map((entry: Json, place) => readLine(resource, entry, place, { by, texts, seen }));
  if (new Set(read.map(({ number }) => number)).size !== read.length) throw invalid('lines');
  return { preview, by, lines: read };
};
