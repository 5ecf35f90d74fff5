import type { SameKeys } from './same-keys.ts';
import type { zhCNDay } from './zh-cn-day.ts';

export const enDay: SameKeys<typeof zhCNDay> = {
  keys: {
    revoked: 'Revoked keys',
    notFound: 'This service has no such key',
  },
  bulk: {
    nothing: 'Nothing to change: the chosen records have these values already',
    saved: '%{count} changed; %{unchanged} had these values already',
    undone: '%{count} change undone |||| %{count} changes undone',
    undoneSome: 'Undone: %{count}. Kept because changed again since: %{left}.',
  },
  routes: {
    title: 'Response times',
  },
  about: {
    title: 'About this service',
  },
  export: {
    named: 'Export with names',
  },
  views: {
    link: 'Link to this view, with its columns',
  },
};
