/** An explanation as `/admin/explain` answers it. */

export interface Step {
  readonly rule: string;
  readonly label: string;
  readonly outcome: 'passed' | 'refused' | 'narrowed' | 'off';
  readonly because: string;
}

export interface Explanation {
  readonly method: string;
  readonly path: string;
  readonly caller: {
    readonly kind: 'user' | 'api_key' | 'application' | 'nobody';
    readonly id: number | string | null;
    readonly name: string | null;
  };
  readonly allowed: boolean;
  readonly status: number;
  readonly code: number;
  readonly endpoint: {
    readonly operation: string;
    readonly method: string;
    readonly path: string;
    readonly authentication: readonly string[];
  } | null;
  readonly steps: readonly Step[];
  readonly decided_by: string | null;
}

/** Where a rule can be changed in these pages; undefined where it stands in the application's files. */
export const changedAt = ({ rule }: Step, { caller }: Explanation): string | undefined => {
  if (rule === 'permission') return '/permissions';
  if (
    caller.kind === 'user' &&
    ['user', 'role', 'administrator', 'authentication', 'password_change'].includes(rule)
  )
    return `/users/${caller.id}`;
  if (caller.kind === 'api_key' && rule === 'authentication') return '/api_keys';
  if (caller.kind === 'application' && rule === 'authentication') return '/applications';
  return undefined;
};
