/** The door to explanations: why a request is allowed or refused, and how a caller sees the service. */

export type { ExplainParts } from './explain/explain.ts';
export { explainEndpoint, explainRequest } from './explain/explain.ts';
export type { SignInExplanationParts } from './explain/explain-sign-in.ts';
export { explainSignInEndpoints } from './explain/explain-sign-in.ts';
export type { RefusalCauseParts } from './explain/refusal-causes.ts';
export { refusalCausesEndpoint } from './explain/refusal-causes.ts';
