/** The type that store calls ask for; making one is left to `decide.ts` and `system-grant.ts`. */
export type { GrantTerms, MintedGrant as Grant, ReferenceTerms, RowCondition, RowFilter } from './mint.ts';
