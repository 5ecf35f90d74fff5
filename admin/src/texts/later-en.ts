export { enLater as later } from './en-later.ts';
