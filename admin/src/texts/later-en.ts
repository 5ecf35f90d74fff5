export {
  actionsInEnglish as actions,
  callersInEnglish as callers,
  reasonsInEnglish as reasons,
} from '../../../src/kernel/messages/reasons-en.ts';
export { enLater as later } from './en-later.ts';
