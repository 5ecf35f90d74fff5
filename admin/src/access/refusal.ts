/** A rejected request as `/admin/refusals` returns it; equal requests within an hour are one entry. */
export interface Refusal {
  readonly id: number;
  readonly refused_at: string;
  readonly refusals: number;
  readonly caller_kind: 'user' | 'api_key' | 'application';
  readonly caller_id: string;
  readonly caller_name: string;
  /** Name of the key, also of a revoked one. Absent from instances of an older version. */
  readonly key_name?: string | null;
  readonly revoked_at?: string | null;
  readonly revoked_by_kind?: string | null;
  readonly revoked_by_name?: string | null;
  readonly method: string;
  readonly path: string;
  readonly code: number;
  readonly address: string;
}

/** Rejected requests by caller, endpoint and code, as `/admin/refusals/causes` returns them. */
export interface RefusalCause
  extends Pick<Refusal, 'caller_kind' | 'caller_id' | 'caller_name' | 'method' | 'code'> {
  readonly route: string;
  readonly refusals: number;
  readonly requests: readonly Pick<Refusal, 'path' | 'address' | 'refusals' | 'refused_at'>[];
}

const callers = { user: 'user_id', api_key: 'api_key_id', application: 'app_id' } as const;

type Asked = Pick<Refusal, 'caller_kind' | 'caller_id' | 'method' | 'path' | 'code' | 'address'>;

/** Address of the explanation of a refusal, with the code of the refusal. */
export const questionOf = ({ caller_kind, caller_id, method, path, code, address }: Asked): string =>
  `/explain?${new URLSearchParams({
    [callers[caller_kind]]: caller_id,
    ...(caller_kind === 'api_key' ? { address } : {}),
    method,
    path,
    was: String(code),
  })}`;
