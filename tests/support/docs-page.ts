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

/** Stands for the service in samples of the page. The same for all tests: the modules of the page read it once. */
export const pageOrigin = 'https://api.example.com/shop';

/** Makes the address of the page known to its modules. */
export const stubPageAddress = (): void => {
  vi.stubGlobal('location', new URL(`${pageOrigin}/api-docs`));
};

const loadPage = async (): Promise<Page> => {
  stubPageAddress();
  const load = (name: string): Promise<Page> =>
    import(new URL(`../../docs-page/${name}.js`, import.meta.url).href);
  const modules = await Promise.all(['description', 'request', 'snippets', 'ways'].map(load));
  return Object.assign({}, ...modules);
};

/** The page with a description that it has read. */
export const openDocsPage = async (document: unknown) => {
  const page = await loadPage();
  const ways = page.waysOf(describedMethods(), { language: 'en', t: {}, document });
  return { page, ways, ...page.readDescription(document, ways) };
};
