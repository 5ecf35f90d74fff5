/** A refusal as its row keeps it, beside when it came and how often. */
export interface KeptRefusal {
  readonly caller_kind: 'user' | 'api_key' | 'application';
  readonly caller_id: string;
  readonly caller_name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: number;
  readonly address: string;
}

export type RefusedCaller = Pick<KeptRefusal, 'caller_kind' | 'caller_id' | 'caller_name'>;
