/** Scopes of API keys: their short forms, and their words. */

import { useQuery } from '@tanstack/react-query';
import { useModels } from '../records/use-metadata.ts';
import { send } from '../service.ts';
import { type Text, useLanguage, useText } from '../texts/provider.ts';

export const scopeActions = ['read', 'create', 'update', 'destroy'] as const;

/** A scope as `/admin/api_keys/scopes` returns it. */
export interface ScopeEntry {
  readonly scope: string;
  readonly label: string;
}

/** All scopes, with names in the language of the page. */
export const useKnownScopes = () => {
  const language = useLanguage();
  return useQuery({
    queryKey: ['key scopes', language],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      (await send<readonly ScopeEntry[]>('GET', `/admin/api_keys/scopes?lang=${language}`)).data,
  });
};

/** The path of the model and the action of a scope; undefined for an endpoint of the application. */
export const actionIn = (scope: string): { readonly path: string; readonly action: string } | undefined => {
  if (scope.includes(' ')) return undefined;
  const colon = scope.lastIndexOf(':');
  return { path: scope.slice(0, colon), action: scope.slice(colon + 1) };
};

/** True if the scopes allow reads only. */
export const isReading = (scopes: readonly string[]): boolean =>
  scopes.every((scope) => actionIn(scope)?.action === 'read');

/** Replaces short forms for all actions by the actions. */
export const expandScopes = (scopes: readonly string[]): readonly string[] =>
  scopes.flatMap((scope) => {
    const named = actionIn(scope);
    return named?.action === '*' ? scopeActions.map((action) => `${named.path}:${action}`) : [scope];
  });

/** Uses the short form where all actions of a model are given. */
export const shortenScopes = (scopes: readonly string[]): readonly string[] => {
  const all = new Set(scopes);
  const isWhole = (path: string): boolean => scopeActions.every((action) => all.has(`${path}:${action}`));
  return [
    ...new Set(
      scopes.map((scope) => {
        const named = actionIn(scope);
        return named !== undefined && isWhole(named.path) ? `${named.path}:*` : scope;
      }),
    ),
  ];
};

/** The actions of scopes by the path of their model, and the endpoints. */
const byModel = (scopes: readonly string[]) => {
  const models = new Map<string, string[]>();
  const endpoints: string[] = [];
  for (const scope of expandScopes(scopes)) {
    const named = actionIn(scope);
    if (named === undefined) endpoints.push(scope);
    else models.set(named.path, [...(models.get(named.path) ?? []), named.action]);
  }
  return { models, endpoints };
};

/** `Order read, create`; endpoints stay as they are. */
const wordsOf = (text: Text, labelOf: (path: string) => string, scopes: readonly string[]) => {
  const { models, endpoints } = byModel(scopes);
  const named = [...models].map(([path, actions]) =>
    text('keys.access.actionsOf', {
      name: labelOf(path),
      actions: scopeActions
        .filter((action) => actions.includes(action))
        .map((action) => text(`permissions.action.${action}`).toLowerCase())
        .join(text('common.separator')),
    }),
  );
  return [...named, ...endpoints];
};

/** The names of models by their paths, users included. */
const useScopeLabel = (): ((path: string) => string) => {
  const text = useText();
  const models = useModels();
  return (path) =>
    path === 'users'
      ? text('titles.users')
      : (models.find((entry) => entry.path === path)?.plural_label ?? path);
};

/** Scopes in words, a part for each model and endpoint; null means everything. */
export const useScopeWords = (): ((scopes: readonly string[] | null) => readonly string[]) => {
  const text = useText();
  const labelOf = useScopeLabel();
  return (scopes) => (scopes === null ? [text('keys.access.everything')] : wordsOf(text, labelOf, scopes));
};
