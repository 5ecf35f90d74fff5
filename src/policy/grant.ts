/** The type that store calls demand; only `decide.ts` and `system-grant.ts` create one. */
export type {
  FieldMask,
  GrantTerms,
  HeldFields,
  MaskedFields,
  MintedGrant as Grant,
  ReferenceTerms,
  RowCondition,
  RowFilter,
} from './mint.ts';
