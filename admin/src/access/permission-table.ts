/** The permission table: data, changes, and unsaved ticks. */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';
import { superAdmin } from '../users/user.ts';

export type PermissionAction = 'create' | 'update' | 'destroy' | 'read';

interface Entry {
  readonly role: string;
  readonly model: string;
  readonly action: PermissionAction;
  readonly allowed: boolean;
  /** True if the permission check of the resource is on. */
  readonly checked: boolean;
}

export interface ModelActions {
  readonly model: string;
  readonly actions: readonly { readonly action: PermissionAction; readonly checked: boolean }[];
}

export interface PermissionChange {
  readonly role: string;
  readonly model: string;
  readonly action: PermissionAction;
  readonly allowed: boolean;
}

/** Actions in the order of display. */
export const permissionActions: readonly PermissionAction[] = ['read', 'create', 'update', 'destroy'];

const key = ['permission table'];

/** An entry as one text, which is also the value of its box. */
export const entryKey = ({ role, model, action }: Omit<PermissionChange, 'allowed'>): string =>
  `${role} ${model} ${action}`;

const modelsIn = (entries: readonly Entry[]): ModelActions[] => {
  const [first] = entries;
  const found = new Map<string, { action: PermissionAction; checked: boolean }[]>();
  for (const { role, model, action, checked } of entries) {
    if (role !== first?.role) continue;
    found.set(model, [...(found.get(model) ?? []), { action, checked }]);
  }
  return [...found].map(([model, actions]) => ({
    model,
    actions: actions.sort(
      (one, other) => permissionActions.indexOf(one.action) - permissionActions.indexOf(other.action),
    ),
  }));
};

/** The table of permissions. */
export const usePermissionTable = () => {
  const { data: entries = [], isPending } = useQuery({
    queryKey: key,
    queryFn: async () => (await send<readonly Entry[]>('GET', '/admin/permissions')).data,
  });
  return useMemo(() => {
    const granted = new Set(entries.filter(({ allowed }) => allowed).map(entryKey));
    return {
      isPending,
      roles: [...new Set(entries.map(({ role }) => role))],
      models: modelsIn(entries),
      granted: granted as ReadonlySet<string>,
      isGranted: (role: string, model: string, action: string) => granted.has(`${role} ${model} ${action}`),
    };
  }, [entries, isPending]);
};

/** Roles with changeable entries: super_admin has every permission without entries. */
export const changeableRoles = (roles: readonly string[]): readonly string[] =>
  roles.filter((role) => role !== superAdmin);

/** Changes that grant, or revoke, all actions of these models for these roles. */
export const changesOf = (
  roles: readonly string[],
  models: readonly ModelActions[],
  granted: ReadonlySet<string>,
  allowed: boolean,
): PermissionChange[] =>
  changeableRoles(roles).flatMap((role) =>
    models.flatMap(({ model, actions }) =>
      actions
        .map(({ action }) => ({ role, model, action, allowed }))
        .filter((change) => granted.has(entryKey(change)) !== allowed),
    ),
  );

/** Saves entries in one transaction; returns the entries that this changed. @throws as `send` */
export const saveChanges = async (
  permissions: readonly PermissionChange[],
): Promise<readonly PermissionChange[]> =>
  (
    await send<{ readonly changed: readonly PermissionChange[] }>('PUT', '/admin/permissions', {
      body: { permissions },
    })
  ).data.changed;

/** Changes that undo the given ones. */
export const invertChanges = (changes: readonly PermissionChange[]): PermissionChange[] =>
  changes.map((change) => ({ ...change, allowed: !change.allowed }));

/** Reads the table and everything that depends on it again; resolves once the table is up to date. */
export const useRefresh = (): (() => Promise<void>) => {
  const client = useQueryClient();
  return useCallback(async () => {
    await client.invalidateQueries();
  }, [client]);
};

/** The table with unsaved ticks: each shows its new state until the service has responded, also with a refusal. */
export const useTicks = (granted: ReadonlySet<string>) => {
  const tell = useTell();
  const refresh = useRefresh();
  const [ticked, setTicked] = useState<ReadonlyMap<string, boolean>>(new Map());
  /** Number of the latest click on each box; outcomes of earlier clicks are ignored. */
  const strokes = useRef(new Map<string, number>());
  const shown = useMemo(() => {
    if (ticked.size === 0) return granted;
    const all = new Set(granted);
    for (const [entry, allowed] of ticked)
      if (allowed) all.add(entry);
      else all.delete(entry);
    return all;
  }, [granted, ticked]);

  const tick = async (change: PermissionChange): Promise<void> => {
    const entry = entryKey(change);
    const stroke = (strokes.current.get(entry) ?? 0) + 1;
    strokes.current.set(entry, stroke);
    setTicked((before) => new Map(before).set(entry, change.allowed));
    const { role, model, action, allowed } = change;
    try {
      await send(allowed ? 'PUT' : 'DELETE', `/admin/permissions/${role}/${model}/${action}`);
    } catch (error) {
      tell(error);
    }
    await refresh();
    if (strokes.current.get(entry) !== stroke) return;
    setTicked((before) => {
      const rest = new Map(before);
      rest.delete(entry);
      return rest;
    });
  };
  return { shown, tick };
};
