/** A form that follows the metadata of a model: its fields, labels, choices, bounds, and the messages of a refusal. */
import { GatewrightError, type Metadata, type MetadataField } from 'gatewright/client';

type Choice = readonly [value: string, label: string];
/** The records that a reference may name, for the field of this name. */
type Choices = (field: MetadataField) => Promise<readonly Choice[]>;

const inputTypes: Readonly<Record<string, string>> = {
  boolean: 'checkbox',
  date: 'date',
  datetime: 'datetime-local',
  email: 'email',
  integer: 'number',
};

const selectOf = (choices: readonly Choice[]): HTMLSelectElement => {
  const select = document.createElement('select');
  for (const [value, label] of choices) select.add(new Option(label, value));
  return select;
};

const controlOf = async (field: MetadataField, choices: Choices) => {
  if (field.reference !== undefined) return selectOf(await choices(field));
  if (field.choices !== undefined) return selectOf(field.choices.map(({ value, label }) => [value, label]));
  if (field.type === 'text') return document.createElement('textarea');
  const input = document.createElement('input');
  input.type = inputTypes[field.type] ?? 'text';
  if (field.type === 'datetime') input.step = '1800';
  return input;
};

/** The value in the form of the API: a time in UTC, an empty text as null. */
const valueOf = (field: MetadataField, control: { readonly value: string; readonly checked?: boolean }) => {
  if (field.type === 'boolean') return control.checked === true;
  if (control.value === '') return null;
  if (field.type === 'datetime') return new Date(control.value).toISOString();
  return field.type === 'integer' || field.reference !== undefined ? Number(control.value) : control.value;
};

/**
 * A form for a create, with the fields that the caller writes and that `fixed` does not set.
 * @param save receives the values; a refusal is shown beside its fields
 */
export const formOf = async (
  metadata: Metadata,
  fixed: Readonly<Record<string, number | string>>,
  choices: Choices,
  submit: string,
  save: (values: Record<string, unknown>) => Promise<unknown>,
): Promise<HTMLFormElement> => {
  const form = document.createElement('form');
  const fields = metadata.fields.filter(
    ({ name, read_only, default: preset }) => !read_only && !(name in fixed) && preset === undefined,
  );
  const rows = new Map<string, { readonly field: MetadataField; readonly control: HTMLInputElement }>();
  const messages = new Map<string, HTMLElement>();
  for (const field of fields) {
    const control = (await controlOf(field, choices)) as HTMLInputElement;
    control.name = field.name;
    control.required = field.required && field.type !== 'boolean';
    const message = document.createElement('small');
    message.role = 'alert';
    const label = document.createElement('label');
    label.append(field.label, control, message);
    form.append(label);
    rows.set(field.name, { field, control });
    messages.set(field.name, message);
  }
  const rest = document.createElement('p');
  rest.role = 'alert';
  const button = document.createElement('button');
  button.append(submit);
  form.append(rest, button);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    for (const message of [...messages.values(), rest]) message.textContent = '';
    try {
      const entered = [...rows].map(([name, { field, control }]) => [name, valueOf(field, control)]);
      await save({ ...fixed, ...Object.fromEntries(entered) });
    } catch (error) {
      if (!(error instanceof GatewrightError)) throw error;
      for (const [name, texts] of Object.entries(error.fields))
        (messages.get(name) ?? rest).textContent = texts.join(' ');
      if (error.errors.length === 0) rest.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  });
  return form;
};
