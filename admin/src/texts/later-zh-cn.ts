export {
  actionsInChinese as actions,
  callersInChinese as callers,
  reasonsInChinese as reasons,
} from '../../../src/kernel/messages/reasons-zh-CN.ts';
export { zhCNLater as later } from './zh-cn-later.ts';
