import type { SameKeys } from './same-keys.ts';
import type { zhCNDay } from './zh-cn-day.ts';

export const enDay: SameKeys<typeof zhCNDay> = {
  keys: {
    revoked: 'Revoked keys',
    notFound: 'This is no key of this service',
  },
  bulk: {
    nothing: 'Nothing to change: the chosen records have these values already',
    saved: '%{count} changed; %{unchanged} had these values already',
    undone: '%{count} changes undone',
    undoneSome: '%{count} changes undone; %{left} were changed again since and stay',
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
