import { vi } from 'vitest';
import { describedMethods } from '../../src/console/docs/page.ts';

/** The documentation page, as far as tests use its modules: they are plain JavaScript. */

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly schema: { readonly enum?: string[] } }[];
  readonly body: unknown;
  readonly access: { readonly methods: readonly string[] };
}

export interface Form {
  readonly values: Record<string, string>;
  body: string;
  method: string | undefined;
}

export interface PageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export type Resolve = (part: unknown) => unknown;

export type Ways = ReadonlyMap<string, unknown>;

export interface Page {
  waysOf(methods: unknown, page: { language: string; t: unknown; document: unknown }): Ways;
  readDescription(
    document: unknown,
    ways: Ways,
  ): { readonly operations: readonly Operation[]; readonly resolve: Resolve };
  newForm(operation: Operation, resolve: Resolve, ways: Ways): Form;
  requestOf(operation: Operation, form: Form): PageRequest;
  sampleFor(
    operation: Operation,
    form: Form,
    ways: Ways,
    resolve: Resolve,
  ): { readonly request: { headers: Record<string, string>; body: string } };
  readonly languages: readonly { readonly name: string; make(sample: unknown): string }[];
}

/** Loads the modules. `address`: that of the page, from which its samples have the address of the service. */
const loadPage = async (address: string): Promise<Page> => {
  vi.stubGlobal('location', new URL(address));
  const load = (name: string): Promise<Page> =>
    import(new URL(`../../docs-page/${name}.js`, import.meta.url).href);
  const modules = await Promise.all(['description', 'request', 'snippets', 'ways'].map(load));
  return Object.assign({}, ...modules);
};

/** The page at an address, with a description that it has read. */
export const openDocsPage = async (address: string, document: unknown) => {
  const page = await loadPage(address);
  const ways = page.waysOf(describedMethods(), { language: 'en', t: {}, document });
  return { page, ways, ...page.readDescription(document, ways) };
};
