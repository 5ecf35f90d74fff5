import type { Json } from '../../kernel/json.ts';
import type { RoleMapping } from './provider-options.ts';

/** Roles of a first sign-in for which the provider maps none. */
export const defaultRoles = ['viewer'] as const;

/** A role that a user has after a sign-in. */
export interface MappedRole {
  readonly role: string;
  /** `kept`: the mapping does not name the role. */
  readonly origin: 'claim' | 'default' | 'kept';
  /** Values of the claim that grant it. */
  readonly values: readonly string[];
}

/** The texts of a claim that holds one or a list. */
export const claimTexts = (value: Json | undefined): readonly string[] =>
  [value].flat().filter((each) => typeof each === 'string');

/** Roles that a value of the claim grants. */
export const rolesOfValue = ({ map }: RoleMapping, value: string): readonly string[] =>
  Object.hasOwn(map, value) ? (map[value] ?? []) : [];

/** The roles of a user whose claim has these values. Roles that the mapping names follow the claim; others stay. */
export const explainRoles = (
  mapping: RoleMapping,
  values: readonly string[],
  current: readonly string[],
): readonly MappedRole[] => {
  const otherwise = mapping.default ?? defaultRoles;
  const managed = new Set([...Object.values(mapping.map).flat(), ...otherwise]);
  const granted = new Map<string, string[]>();
  for (const value of new Set(values))
    for (const role of rolesOfValue(mapping, value)) granted.set(role, [...(granted.get(role) ?? []), value]);
  const kept = new Set(current.filter((role) => !managed.has(role)));
  const roles: MappedRole[] = [];
  for (const role of kept) roles.push({ role, origin: 'kept', values: [] });
  for (const [role, granting] of granted) roles.push({ role, origin: 'claim', values: granting });
  if (granted.size === 0)
    for (const role of new Set(otherwise)) roles.push({ role, origin: 'default', values: [] });
  return roles;
};

/** The names of those roles. */
export const mappedRoles = (
  mapping: RoleMapping,
  values: readonly string[],
  current: readonly string[],
): readonly string[] => explainRoles(mapping, values, current).map(({ role }) => role);
