import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';

export type PermissionAction = 'create' | 'update' | 'destroy' | 'read';

interface Entry {
  readonly role: string;
  readonly model: string;
  readonly action: PermissionAction;
  readonly allowed: boolean;
  /** Whether requests ask for it: the resource's permission check is on. */
  readonly checked: boolean;
}

export interface ModelActions {
  readonly model: string;
  readonly actions: readonly { readonly action: PermissionAction; readonly checked: boolean }[];
}

const order: readonly PermissionAction[] = ['read', 'create', 'update', 'destroy'];

const key = ['permission table'];

const modelsIn = (entries: readonly Entry[]): ModelActions[] => {
  const [first] = entries;
  const found = new Map<string, { action: PermissionAction; checked: boolean }[]>();
  for (const { role, model, action, checked } of entries) {
    if (role !== first?.role) continue;
    found.set(model, [...(found.get(model) ?? []), { action, checked }]);
  }
  return [...found].map(([model, actions]) => ({
    model,
    actions: actions.sort((one, other) => order.indexOf(one.action) - order.indexOf(other.action)),
  }));
};

/** The table of permissions as the service has it. */
export const usePermissionTable = () => {
  const { data: entries = [], isPending } = useQuery({
    queryKey: key,
    queryFn: async () => (await send<readonly Entry[]>('GET', '/admin/permissions')).data,
  });
  return useMemo(() => {
    const granted = new Set(
      entries.filter(({ allowed }) => allowed).map(({ role, model, action }) => `${role} ${model} ${action}`),
    );
    return {
      isPending,
      roles: [...new Set(entries.map(({ role }) => role))],
      models: modelsIn(entries),
      isGranted: (role: string, model: string, action: string) => granted.has(`${role} ${model} ${action}`),
    };
  }, [entries, isPending]);
};

export interface PermissionChange {
  readonly role: string;
  readonly model: string;
  readonly action: PermissionAction;
  readonly allowed: boolean;
}

/** Saves one entry; resolves once the table shows what the service now has, a refusal included. */
export const useChangePermission = (): ((change: PermissionChange) => Promise<void>) => {
  const client = useQueryClient();
  const tell = useTell();
  return async ({ role, model, action, allowed }) => {
    try {
      await send(allowed ? 'PUT' : 'DELETE', `/admin/permissions/${role}/${model}/${action}`);
    } catch (error) {
      tell(error);
    }
    await client.invalidateQueries();
  };
};
