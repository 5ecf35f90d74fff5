import type { ModelName } from '../../fields/named-model.ts';
import type { Json } from '../../kernel/json.ts';

/** A condition as declared: names and values are checked when the models are collected. */
export type SaidRule =
  | { readonly kind: 'own'; readonly field: string }
  | { readonly kind: 'equals'; readonly field: string; readonly value: Json }
  | {
      readonly kind: 'member';
      readonly field: string;
      readonly of: ModelName;
      readonly on: string;
      readonly where: Readonly<Record<string, Json>>;
    }
  | {
      readonly kind: 'via';
      readonly field: string;
      readonly rule: SaidRule;
      readonly of: ModelName | undefined;
    }
  | { readonly kind: 'anyOf' | 'allOf'; readonly rules: readonly SaidRule[] };
