/** The type that store calls demand; only `decide.ts` and `system-grant.ts` create one. */
export type {
  GrantTerms,
  HeldFields,
  MintedGrant as Grant,
  ReferenceTerms,
  RowCondition,
  RowFilter,
} from './mint.ts';
