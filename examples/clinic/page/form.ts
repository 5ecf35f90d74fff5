/** A form that follows the metadata of a model: its fields, labels, choices, bounds, and the messages of a refusal. */
import { type createClient, GatewrightError, type Metadata, type MetadataField } from 'gatewright/client';

type Client = Pick<ReturnType<typeof createClient>, 'meta' | 'sendRequest'>;
type Values = Readonly<Record<string, unknown>>;
type Choice = readonly [value: string, label: string];

interface FormOptions {
  readonly client: Client;
  /** Name of the model: `Patient`. */
  readonly model: string;
  /** Values of the new record that the form does not ask for. */
  readonly fixed?: Readonly<Record<string, number | string>>;
  readonly submit: string;
  /** Receives all values. A refusal is shown beside its fields. */
  readonly save: (values: Values) => Promise<unknown>;
}

interface Row {
  readonly field: MetadataField;
  readonly control: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
  readonly message: HTMLElement;
}

const inputTypes: Readonly<Record<string, string>> = {
  boolean: 'checkbox',
  date: 'date',
  datetime: 'datetime-local',
  email: 'email',
  integer: 'number',
};

/** The name of a record for people: `display` of its model is `{given_name} {family_name}`. */
const nameOf = ({ display = '{id}' }: Metadata, record: Values): string =>
  display.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(record[name] ?? ''));

/** The first hundred records that a reference may name: with `same`, those with the value of the new record. */
const recordsFor = async (
  client: Client,
  field: MetadataField,
  fixed: Values,
): Promise<readonly Choice[]> => {
  const { reference = '', same = '' } = field;
  const metadata = await client.meta(reference);
  const query = new URLSearchParams({ page: '1', per_page: '100' });
  if (same in fixed) query.set(`filter[${same}]`, String(fixed[same]));
  const { data } = await client.sendRequest<readonly Values[]>('GET', `/api/v1/${metadata.plural}?${query}`);
  return data.map((record) => [String(record['id']), nameOf(metadata, record)]);
};

const selectOf = (choices: readonly Choice[]): HTMLSelectElement => {
  const select = document.createElement('select');
  select.add(new Option('', ''));
  for (const [value, label] of choices) select.add(new Option(label, value));
  return select;
};

const controlOf = (field: MetadataField, records: readonly Choice[]): Row['control'] => {
  const { type, reference, choices, bounds } = field;
  if (reference !== undefined) return selectOf(records);
  if (choices !== undefined) return selectOf(choices.map(({ value, label }) => [value, label]));
  if (type === 'text') return document.createElement('textarea');
  const input = document.createElement('input');
  input.type = inputTypes[type] ?? 'text';
  if (type === 'string' && typeof bounds?.['max'] === 'number') input.maxLength = bounds['max'];
  return input;
};

/** The value in the form of the API: a time in UTC, an empty text as null. */
const writtenOf = ({ field: { type, reference }, control }: Row): unknown => {
  if (type === 'boolean') return (control as HTMLInputElement).checked;
  if (control.value === '') return null;
  if (type === 'datetime') return new Date(control.value).toISOString();
  return type === 'integer' || reference !== undefined ? Number(control.value) : control.value;
};

const alertOf = (text = ''): HTMLElement => {
  const message = document.createElement('p');
  message.role = 'alert';
  message.append(text);
  return message;
};

const rowOf = (field: MetadataField, records: readonly Choice[]): Row => {
  const control = controlOf(field, records);
  control.name = field.name;
  control.required = field.required && field.type !== 'boolean';
  return { field, control, message: alertOf() };
};

/** Shows each message beside its field, and the others below the form. */
const showRefusal = (error: unknown, rows: readonly Row[], rest: HTMLElement): void => {
  if (!(error instanceof GatewrightError)) throw error;
  const names = rows.map(({ field }) => field.name);
  for (const { field, message } of rows) message.textContent = error.fields[field.name]?.join(' ') ?? '';
  const others = error.errors.filter(({ field }) => !names.includes(field));
  rest.textContent = error.errors.length === 0 ? error.message : others.map((each) => each.message).join(' ');
};

const elementOf = (rows: readonly Row[], submit: string, save: (values: Values) => Promise<unknown>) => {
  const form = document.createElement('form');
  for (const { field, control, message } of rows) {
    const label = document.createElement('label');
    label.append(field.label, control);
    form.append(label, message);
  }
  const rest = alertOf();
  const button = document.createElement('button');
  button.append(submit);
  form.append(rest, button);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await save(Object.fromEntries(rows.map((row) => [row.field.name, writtenOf(row)])));
    } catch (error) {
      showRefusal(error, rows, rest);
    } finally {
      button.disabled = false;
    }
  });
  return form;
};

/** A form for a new record, with the fields that the caller writes and that have no default; else the reason for none. */
export const formOf = async (options: FormOptions): Promise<HTMLElement> => {
  const { client, model, fixed = {}, submit, save } = options;
  const { fields, permissions, reasons } = await client.meta(model, { with: fixed });
  if (!permissions.create) return alertOf(reasons?.create);
  const rows: Row[] = [];
  for (const field of fields) {
    if (field.read_only || field.name in fixed || field.default !== undefined) continue;
    rows.push(rowOf(field, field.reference === undefined ? [] : await recordsFor(client, field, fixed)));
  }
  return elementOf(rows, submit, (values) => save({ ...fixed, ...values }));
};
