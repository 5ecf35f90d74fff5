import { type View, viewByAction } from '../../model/resource.ts';
import type { Endpoint } from '../endpoint.ts';
import { takesFields } from './features.ts';

/** `blog_post`, `date-time` → `BlogPost`, `DateTime`. */
export const pascal = (text: string): string =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_whole, first: string) => first.toUpperCase());

const suffixes: Readonly<Record<View, string>> = { list: 'ListItem', detail: '', saved: 'Saved' };

/** Equal schemas are shared within a family: the views of a model, or the service's own. */
export const familyOf = ({ policy, docs }: Endpoint): string =>
  policy.kind === 'resource' ? policy.model.name : (docs.model ?? '');

/** Name of the schema of a response: the model and its view, the schema's own title, or the operation's name. */
export const dataName = (endpoint: Endpoint): string => {
  const { policy, docs, operation } = endpoint;
  if (policy.kind === 'resource' && docs.part !== 'file') {
    const { model, action, area } = policy;
    if (docs.part === 'history') return `${area === 'admin' ? 'Admin' : ''}${model.name}Versions`;
    const suffix = docs.part === 'aggregate' ? 'Group' : suffixes[viewByAction[action]];
    return `${area === 'admin' ? 'Admin' : ''}${model.name}${suffix}`;
  }
  const suffix = takesFields(endpoint) ? suffixes.list : '';
  if (docs.model !== undefined) return `${docs.model}${suffix}`;
  const title = docs.data?.['title'];
  return typeof title === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(title)
    ? `${title}${suffix}`
    : `${pascal(operation)}Data`;
};

/** Name of the schema of the record in a body. */
export const inputName = ({ policy, operation, docs }: Endpoint): string => {
  if (policy.kind !== 'resource' || docs.part !== undefined) return `${pascal(operation)}Input`;
  return `${policy.model.name}${policy.action === 'create' ? 'Create' : 'Update'}`;
};

/** `/notes/:id` in the form of the description. */
export const templatePath = (path: string): string => path.replaceAll(/:([A-Za-z0-9_]+)/g, '{$1}');
