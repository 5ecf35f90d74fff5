export { zhCNLater as later } from './zh-cn-later.ts';
