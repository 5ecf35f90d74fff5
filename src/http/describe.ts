/** The door to the API description: the OpenAPI document of an area, made from its endpoints. */

export type { FieldRules } from './openapi/access.ts';
export { accessOf, fieldRulesOf } from './openapi/access.ts';
export type { DescriptionOptions } from './openapi/context.ts';
export type { DescriptionArea } from './openapi/description-area.ts';
export { descriptionAreas, descriptionPath } from './openapi/description-area.ts';
export { describeApi } from './openapi/document.ts';
export { scopeProblems } from './openapi/problems.ts';
export { headerTexts, parameterTexts } from './openapi/texts.ts';
