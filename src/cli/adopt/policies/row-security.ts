/** Reads row security of PostgreSQL, as Supabase uses it: permissive policies widen, restrictive ones narrow. */

import type {
  DescribedPolicy,
  DescribedRole,
  DescribedRowSecurity,
  DescribedSchema,
  DescribedTable,
} from '../../../database/described-tables.ts';
import { errorMessage } from '../../../kernel/error-message.ts';
import { type RowAction, rowActions } from '../../../model/row-expression.ts';
import {
  alwaysMet,
  eachOf,
  eitherOf,
  never,
  type PolicyCondition,
  unknown,
  unknownReasons,
} from './condition.ts';
import type { LeftPolicy, ReaderContext, SourcePolicies, SourceRule } from './source.ts';
import { type SqlContext, sqlCondition } from './sql-condition.ts';
import { parseSqlExpression } from './sql-expression.ts';

/** The role of requests without a user in Supabase. */
const anonymousRole = 'anon';

/** The role in whose name rules for everyone stand where a database has none of Supabase's. */
const everyone: DescribedRole = { name: 'public', bypasses: false, has: ['public'], rights: new Map() };

const commands = { read: 'select', create: 'insert', update: 'update', destroy: 'delete' } as const;

/** The rows of a policy, before or after a write. */
type Side = 'using' | 'check';

class PolicyReader {
  readonly #schema: DescribedSchema;
  readonly #security: DescribedRowSecurity;
  readonly #reader: ReaderContext;
  readonly #role: DescribedRole;
  /** Tables whose policies are being read: one that leads back to its own table fails in the database too. */
  readonly #open = new Set<string>();
  readonly left: LeftPolicy[] = [];

  constructor(
    schema: DescribedSchema,
    security: DescribedRowSecurity,
    reader: ReaderContext,
    role: DescribedRole,
  ) {
    this.#schema = schema;
    this.#security = security;
    this.#reader = reader;
    this.#role = role;
  }

  get #isPublic(): boolean {
    return this.#role === everyone;
  }

  readonly #tableAt = (path: readonly string[]): DescribedTable | undefined => {
    const [name, schema] = path.toReversed();
    if (path.length > 2 || (schema !== undefined && schema !== this.#schema.schema)) return undefined;
    return this.#schema.tables.find((table) => table.name === name);
  };

  #context(): SqlContext {
    return {
      role: this.#role.name,
      anonymous: this.#role.name === anonymousRole,
      claims: this.#reader.claims,
      tableAt: this.#tableAt,
      readable: (table) => this.#readable(table),
    };
  }

  #readable(table: DescribedTable): PolicyCondition {
    if (table.kind !== 'table') return unknown(`${table.name} is a ${table.kind}`);
    if (!this.#isPublic && (this.#role.rights.get(table.name)?.select.size ?? 0) === 0)
      return unknown(`the role may not read ${table.name}`);
    if (table.rowSecurity === 'off') return eachOf([]);
    if (this.#open.has(table.name)) return unknown(`the policies of ${table.name} lead back to itself`);
    this.#open.add(table.name);
    try {
      return this.#rows(table, 'read', 'using', false);
    } finally {
      this.#open.delete(table.name);
    }
  }

  #policies(table: DescribedTable, action: RowAction): readonly DescribedPolicy[] {
    const { policies } = this.#security;
    const isFor = ({ roles }: DescribedPolicy): boolean =>
      roles === undefined || roles.some((role) => this.#role.has.includes(role));
    return policies.filter(
      (policy) =>
        policy.table === table.name && ['all', commands[action]].includes(policy.command) && isFor(policy),
    );
  }

  #condition(table: DescribedTable, policy: DescribedPolicy, side: Side): PolicyCondition {
    const sql = side === 'check' ? (policy.check ?? policy.using) : policy.using;
    // Without an expression, a permissive policy opens nothing, and a restrictive one closes nothing.
    if (sql === undefined) return policy.permissive ? never : alwaysMet;
    try {
      return sqlCondition(parseSqlExpression(sql), table, this.#context());
    } catch (error) {
      if (error instanceof SyntaxError) return unknown(errorMessage(error));
      throw error;
    }
  }

  /** The rows of all policies. A permissive one that is not understood opens nothing, and is named. */
  #rows(table: DescribedTable, action: RowAction, side: Side, reports: boolean): PolicyCondition {
    const open: PolicyCondition[] = [];
    const narrow: PolicyCondition[] = [];
    for (const policy of this.#policies(table, action)) {
      const condition = this.#condition(table, policy, side);
      const reasons = unknownReasons(condition);
      if (!policy.permissive) narrow.push(condition);
      else if (reasons.length === 0 || !reports) open.push(condition);
      else this.#name(policy, action, side, reasons);
    }
    return open.length === 0 ? never : eachOf([eitherOf(open), ...narrow]);
  }

  #name(policy: DescribedPolicy, action: RowAction, side: Side, reasons: readonly string[]): void {
    // All rules of this role stay closed, whatever they say.
    if (this.#role.name === anonymousRole) return;
    const part = side === 'using' ? 'using' : 'with check';
    const place = `policy ${JSON.stringify(policy.name)} on ${policy.table}, role ${this.#role.name}, ${action}, ${part}`;
    this.left.push({ place, because: reasons.join('; ') });
  }

  /** The rule of an action; undefined where the role has none. */
  rule(table: DescribedTable, action: RowAction): SourceRule | undefined {
    const policies = this.#policies(table, action);
    if (!policies.some(({ permissive }) => permissive)) return undefined;
    const names = policies.map(({ name }) => JSON.stringify(name)).join(', ');
    const [before, after] = this.#sides(table, action);
    const rights = this.#role.rights.get(table.name);
    const columns =
      action === 'destroy' || this.#isPublic
        ? undefined
        : (rights?.[commands[action] as 'select'] ?? new Set<string>());
    const isGranted =
      this.#isPublic || (action === 'destroy' ? rights?.delete === true : (columns?.size ?? 0) > 0);
    const closed = isGranted ? this.#closed() : 'the role has no right to it';
    const rule: SourceRule = {
      table: { schema: table.schema, name: table.name },
      role: this.#role.name,
      action,
      place: `the policies ${names} on ${table.name}`,
      before,
      after,
      columns,
    };
    return closed === undefined ? rule : { ...rule, closed };
  }

  #sides(table: DescribedTable, action: RowAction): readonly [PolicyCondition, PolicyCondition | undefined] {
    const rows = (side: Side) => this.#rows(table, action, side, true);
    if (action === 'create') return [eachOf([]), rows('check')];
    return action === 'update' ? [rows('using'), rows('check')] : [rows('using'), undefined];
  }

  #closed(): string | undefined {
    return this.#role.name === anonymousRole
      ? 'callers without a user have no role: see publicRead of the model'
      : undefined;
  }
}

/** The policies of a schema. Tables whose row security is off have no rules, whatever policies they have. */
export const readRowSecurity = (schema: DescribedSchema, reader: ReaderContext): SourcePolicies => {
  const security = schema.rowSecurity;
  const left: LeftPolicy[] = [];
  const rules: SourceRule[] = [];
  if (security === undefined) return { name: 'row-security', rules, left, readsFirst: true };
  const tables = new Map(schema.tables.map((table) => [table.name, table]));
  for (const name of new Set(security.policies.map(({ table }) => table)))
    if (tables.get(name)?.rowSecurity === 'off')
      left.push({ place: `the policies on ${name}`, because: 'row security of the table is off' });
  const bound = security.roles.filter(({ bypasses }) => !bypasses);
  for (const { name } of security.roles.filter(({ bypasses }) => bypasses))
    left.push({
      place: `role ${name}`,
      because: 'row security does not hold for it: code of your own acts as the system',
    });
  for (const role of bound.length === 0 ? [everyone] : bound) {
    const policyReader = new PolicyReader(schema, security, reader, role);
    for (const table of schema.tables.filter(({ rowSecurity }) => rowSecurity !== 'off'))
      for (const action of rowActions) rules.push(...[policyReader.rule(table, action) ?? []].flat());
    left.push(...policyReader.left);
  }
  return { name: 'row-security', rules, left, readsFirst: true };
};
