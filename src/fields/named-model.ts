import { type OptionCheck, textual } from '../kernel/options.ts';

/** Returns a model: files of models that import each other have no values yet when they are loaded. */
export type NamedModel<Name extends string = string> = () => { readonly name: Name };

/** A model in an option: its name, or a function that is called once all models are loaded. */
export type ModelName<Name extends string = string> = Name | NamedModel<Name>;

export const modelName: OptionCheck = (value, path) =>
  typeof value === 'function' ? undefined : textual(value, path);

/** The name of the model; `refuse` throws the error for a function that returns none. */
export const resolveName = (model: ModelName, refuse: (because: string) => never): string => {
  if (typeof model === 'string') return model;
  const name: unknown = model()?.name;
  return typeof name === 'string' ? name : refuse('is named by a function that returns no model');
};
