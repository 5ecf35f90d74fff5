import type { EnumOptions } from '../fields/enum.ts';
import type { CommonOptions } from '../fields/field.ts';
import { withoutUndefined } from '../kernel/json.ts';
import type { Label } from '../kernel/messages.ts';
import type { SaidMany } from './relation.ts';
import type { ModelField, ResourceModel } from './resource.ts';

/** Returns a label with the texts that it lacks. */
export type CompleteLabel = (label: Label) => Label;

/** Returns the options of a field with all its texts. */
const completeOptions = <Options extends CommonOptions>(
  options: Options,
  complete: CompleteLabel,
): Options => {
  const { label, group } = options;
  const { labels } = options as Partial<EnumOptions>;
  const choices = Object.entries(labels ?? {}).map(([value, text]) => [value, text && complete(text)]);
  const completed = withoutUndefined({
    label: label && complete(label),
    group: group && complete(group),
    labels: labels && Object.fromEntries(choices),
  });
  return Object.freeze({ ...options, ...completed });
};

/** Returns a field with all its texts. */
export const completeField = (field: ModelField, complete: CompleteLabel): ModelField =>
  Object.freeze({
    ...field,
    label: complete(field.label),
    options: completeOptions(field.options, complete),
  });

/** Returns a model with all its texts. Models are collected after it: their relations have the labels of fields. */
export const completeModel = (model: ResourceModel, complete: CompleteLabel): ResourceModel => {
  const relations = [...model.saidRelations].map(([name, said]): [string, SaidMany] => [
    name,
    said.label === undefined ? said : { ...said, label: complete(said.label) },
  ]);
  const fields = [...model.fields].map(([name, field]): [string, ModelField] => [
    name,
    completeField(field, complete),
  ]);
  return Object.freeze({
    ...model,
    label: complete(model.label),
    pluralLabel: complete(model.pluralLabel),
    menu: model.menu === undefined ? undefined : complete(model.menu),
    saidRelations: new Map(relations),
    fields: new Map(fields),
  });
};
