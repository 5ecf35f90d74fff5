/** The words of `--policies`: the rules that models have now, the roles and grants that they need, and what is left. */

import type { Json } from '../../../kernel/json.ts';
import type { RowAction } from '../../../model/row-expression.ts';
import type { PolicyReport } from './apply-policies.ts';
import { serviceRole } from './role-rules.ts';

/** The roles of a report by the names that they can have in the service, each by another one. */
const rolesOf = ({ grants }: PolicyReport): readonly (readonly [name: string, role: string])[] => {
  const taken = new Map<string, number>();
  return [...grants.keys()].map((role) => {
    const name = serviceRole(role);
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    return [count === 1 ? name : `${name}_${count}`, role];
  });
};

const shown = (actions: readonly RowAction[]): string => actions.join(', ');

/** Lines for people. `existing`: roles that the service of the database has; undefined where it has none yet. */
export const policyLines = (
  report: PolicyReport,
  existing: ReadonlySet<string> | undefined,
): readonly string[] => {
  const lines = [`Policies from ${report.source}:`];
  for (const { table, model, action, roles, rule } of report.mapped)
    lines.push(`  ${table} → ${model}, ${action} (${roles.join(', ')}): ${rule}`);
  for (const [name, role] of rolesOf(report)) {
    const isThere = existing?.has(name) === true;
    const title = name === role ? `role ${name}` : `role ${name}, there ${role}`;
    lines.push(`  ${title}${isThere ? '' : ' (create it)'}: grant it`);
    if (name === 'viewer') lines.push('    every user without another role has this one');
    for (const [model, actions] of report.grants.get(role) ?? [])
      lines.push(`    ${model}: ${shown(actions)}`);
  }
  if (report.left.length > 0) lines.push('  Closed, as no condition says it:');
  for (const { place, because } of report.left) lines.push(`    ${place}: ${because}`);
  return lines.map((line) => line.replace(/[\t\n\v\f\r]+/g, ' ').replace(/\p{Cc}/gu, '?'));
};

export const policyJson = (report: PolicyReport, existing: ReadonlySet<string> | undefined): Json => ({
  source: report.source,
  rules: report.mapped.map(({ roles, ...rule }) => ({ ...rule, roles: [...roles] })),
  roles: rolesOf(report).map(([name, role]) => ({
    name,
    role,
    exists: existing?.has(name) === true,
    grants: [...(report.grants.get(role) ?? [])].map(([model, actions]) => ({
      model,
      actions: [...actions],
    })),
  })),
  left: report.left.map(({ place, because }) => ({ place, reason: because })),
});
