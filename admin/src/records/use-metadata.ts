/** Hooks that read the metadata of resources and of the service's lists. */

import { useQuery } from '@tanstack/react-query';
import { loadListFields, loadMetadata, loadModels, loadModelsIn } from '../service.ts';
import { useLanguage } from '../texts/provider.ts';
import type { ListedField, Metadata, ModelEntry } from './metadata.ts';

/** No resource has that path. */
export class UnknownResource extends Error {}

const findModel = async (wanted: (entry: ModelEntry) => boolean): Promise<ModelEntry> => {
  const entry = (await loadModels()).find(wanted);
  if (entry === undefined) throw new UnknownResource('there is no such resource');
  return entry;
};

const nothing: readonly ModelEntry[] = [];

/** The models of the application with labels in the language of the page; `known` once they are loaded. */
export const useKnownModels = (): { readonly models: readonly ModelEntry[]; readonly known: boolean } => {
  const language = useLanguage();
  const { data = nothing, isPending } = useQuery({
    queryKey: ['models', language],
    queryFn: () => loadModelsIn(language),
  });
  return { models: data, known: !isPending };
};

/** The models of the application; none until they are loaded. */
export const useModels = (): readonly ModelEntry[] => useKnownModels().models;

/**
 * The label of a model, for several records or for one, in the language of the page; the name of the model until that is
 * loaded.
 */
export const useModelName = (
  form: 'plural_label' | 'label' = 'plural_label',
): ((model: string) => string) => {
  const models = useModels();
  return (model) => models.find((entry) => entry.model === model)?.[form] ?? model;
};

/** Metadata of the resource at a path: `orders`. */
export const useMetadata = (path: string) => {
  const language = useLanguage();
  return useQuery<Metadata>({
    queryKey: ['metadata', 'path', path, language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => loadMetadata((await findModel((entry) => entry.path === path)).model, language),
  });
};

/** Metadata of a model by its name, with the path of its records. */
export const useModel = (model: string) => {
  const language = useLanguage();
  return useQuery({
    queryKey: ['metadata', 'model', model, language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { path } = await findModel((entry) => entry.model === model);
      return { path, metadata: await loadMetadata(model, language) };
    },
  });
};

/** The fields of a list of the service: `api_keys`. */
export const useListFields = (list: string) => {
  const language = useLanguage();
  return useQuery<readonly ListedField[]>({
    queryKey: ['metadata', 'list', list, language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => loadListFields(list, language),
  });
};

/** The labels of the service for values of a list's fields; a value without one stays as it is. */
export const useWords = (list: string): ((field: string, value: string) => string) => {
  const { data = [] } = useListFields(list);
  return (field, value) => {
    const choices = data.find(({ name }) => name === field)?.choices ?? [];
    return choices.find((choice) => choice.value === value)?.label ?? value;
  };
};
