import { fill, forLocale, type Locale } from '../../kernel/messages.ts';
import type { Endpoint } from '../endpoint.ts';

/** Parts of a description: for callers of the API, for administrators, and both in one. */
export const descriptionAreas = ['api', 'admin', 'all'] as const;

export type DescriptionArea = (typeof descriptionAreas)[number];

/** Tells whether a path belongs to the administration area. */
const isAdministrative = (path: string): boolean => path === '/admin' || path.startsWith('/admin/');

/** The endpoints in a description of this area. */
export const endpointsIn = (endpoints: readonly Endpoint[], area: DescriptionArea): readonly Endpoint[] =>
  area === 'all' ? endpoints : endpoints.filter(({ path }) => isAdministrative(path) === (area === 'admin'));

const others = {
  'zh-CN': {
    api: '管理后台的接口另行描述：`{address}?area=admin`。',
    admin: '仅含管理后台的接口，其余见 `{address}`。',
  },
  en: {
    api: 'The administration area is described apart: `{address}?area=admin`.',
    admin: 'This is the administration area only; the API is described at `{address}`.',
  },
} as const;

/** Path of the description. */
export const descriptionPath = '/api-docs/openapi.json';

/**
 * A pointer to the description of the other area; undefined where nothing is left out, or no description is served.
 */
export const othersIn = (area: DescriptionArea, locale: Locale, served: boolean): string | undefined =>
  area === 'all' || !served ? undefined : fill(forLocale(others, locale)[area], { address: descriptionPath });
