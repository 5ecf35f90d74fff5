import { useQuery } from '@tanstack/react-query';
import { loadMetadata, loadModels } from '../service.ts';
import type { Metadata, ModelEntry } from './metadata.ts';

/** There is no resource of that path. */
export class UnknownResource extends Error {}

const findModel = async (wanted: (entry: ModelEntry) => boolean): Promise<ModelEntry> => {
  const entry = (await loadModels()).find(wanted);
  if (entry === undefined) throw new UnknownResource('there is no such resource');
  return entry;
};

/** Metadata of the resource at a path: `orders`. */
export const useMetadata = (path: string) =>
  useQuery<Metadata>({
    queryKey: ['metadata', 'path', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => loadMetadata((await findModel((entry) => entry.path === path)).model),
  });

/** Metadata of a model by its name, and where its records are. */
export const useModel = (model: string) =>
  useQuery({
    queryKey: ['metadata', 'model', model],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { path } = await findModel((entry) => entry.model === model);
      return { path, metadata: await loadMetadata(model) };
    },
  });
