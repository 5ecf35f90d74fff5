/** A refused request as `/admin/refusals` returns it; those alike within an hour are one. */
export interface Refusal {
  readonly id: number;
  readonly refused_at: string;
  readonly refusals: number;
  readonly caller_kind: 'user' | 'api_key' | 'application';
  readonly caller_id: string;
  readonly caller_name: string;
  /** Of a key, also once it was revoked. An instance of an older version does not say it. */
  readonly key_name?: string | null;
  readonly revoked_at?: string | null;
  readonly revoked_by_kind?: string | null;
  readonly revoked_by_name?: string | null;
  readonly method: string;
  readonly path: string;
  readonly code: number;
  readonly address: string;
}

/** Refused requests by caller, endpoint and code as `/admin/refusals/causes` returns them. */
export interface RefusalCause
  extends Pick<Refusal, 'caller_kind' | 'caller_id' | 'caller_name' | 'method' | 'code'> {
  readonly route: string;
  readonly refusals: number;
  readonly requests: readonly Pick<Refusal, 'path' | 'address' | 'refusals' | 'refused_at'>[];
}

const callers = { user: 'user_id', api_key: 'api_key_id', application: 'app_id' } as const;

type Asked = Pick<Refusal, 'caller_kind' | 'caller_id' | 'method' | 'path' | 'code' | 'address'>;

/** The address of the explanation of a refusal, with the code that it had then. */
export const questionOf = ({ caller_kind, caller_id, method, path, code, address }: Asked): string =>
  `/explain?${new URLSearchParams({
    [callers[caller_kind]]: caller_id,
    ...(caller_kind === 'api_key' ? { address } : {}),
    ...{ method, path, was: String(code) },
  })}`;
