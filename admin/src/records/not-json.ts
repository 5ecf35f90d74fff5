/** Stands for a text that is no JSON: a form that holds one cannot be saved. */
export const notJson = Symbol('not JSON');
