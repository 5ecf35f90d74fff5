/** The table of routes that `gatewright dev` prints, with the rules that each leaves open. */

import { ruleWarnings } from '../../app/audit-report.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { Action } from '../../model/resource.ts';
import type { Isolation } from '../../model/row-expression.ts';
import { rowWords } from '../../model/row-words.ts';
import { permissionAction } from '../../policy/decide.ts';
import type { ResourceRule, Rule } from '../../policy/rule.ts';

/** Phrases for records of other users that an action reaches, if no row condition depends on the caller. */
const openRows = (isolation: Isolation | undefined, action: Action): readonly string[] => {
  if (action === 'create') return [];
  if (isolation === undefined) return ["everybody's records"];
  const { others } = isolation[permissionAction(action)];
  if (others === 'none') return [];
  if (others.length === 0) return ["everybody's records"];
  const rules = others.map(({ expression }) => expression);
  return [`everybody's: ${rowWords({ kind: 'allOf', rules })}`];
};

/** Describes the access that a resource leaves open: the rules that are off for this action. */
const openRules = ({ model, action, managed }: ResourceRule): string => {
  const { permissions, isolation, publicRead, publicOrOwn, manage } = model.rules;
  if (managed !== undefined) return `deleted records: ${manage?.words}`;
  const reads = action === 'list' || action === 'detail';
  if (reads && publicRead !== undefined) {
    const published = publicRead.map(({ column, value }) => `${column} = ${value}`).join(', ');
    const own = publicOrOwn === undefined ? '' : `; signed-in callers: ${publicOrOwn.words}`;
    return `public: ${published}${own}`;
  }
  const rows = openRows(isolation, action);
  const isUnchecked = permissions === 'none' || (reads && permissions === 'writes');
  return (isUnchecked ? ['no permission check', ...rows] : rows).join(', ');
};

const ruleText = (rule: Rule): string => {
  switch (rule.kind) {
    case 'resource':
      return openRules(rule);
    case 'open':
      return 'open to anybody';
    case 'roles':
      return `roles ${rule.roles.join(', ')}`;
    case 'administrator':
      return 'administrators';
    case 'identified':
    case 'user':
    case 'isolated':
      return '';
  }
};

/**
 * Lists the API's routes, one per line: method, path, accepted authentication, and what the rules leave open.
 * Warnings about models follow.
 */
export const routeLines = (endpoints: readonly Endpoint[], basePath: string): readonly string[] => {
  const rows = endpoints
    .filter(({ path, docs }) => path.startsWith('/api/v1/') && docs.hidden !== true)
    .map(({ method, path, auth, policy }) => [
      method,
      basePath + path,
      auth.length === 0 ? '-' : auth.join(' | '),
      ruleText(policy),
    ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const models = new Set(
    endpoints.flatMap(({ policy }) => (policy.kind === 'resource' ? [policy.model] : [])),
  );
  return [
    ...rows.map((row) =>
      `  ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
    ),
    ...[...models].flatMap(ruleWarnings).map((warning) => `Warning: ${warning}`),
  ];
};
