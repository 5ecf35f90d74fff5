import { vi } from 'vitest';
import { describedMethods } from '../../src/endpoints/docs/page.ts';

/** The documentation page, as far as tests of its samples use it. */

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly access: { readonly methods: readonly string[] };
}

interface Form {
  readonly values: Record<string, string>;
  body: string;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Resolve = (part: unknown) => unknown;
type Ways = ReadonlyMap<string, unknown>;

/** As much of the page's modules as this test uses; they are plain JavaScript. */
interface Page {
  waysOf(methods: unknown, page: { language: string; t: unknown; document: unknown }): Ways;
  readDescription(
    document: unknown,
    ways: Ways,
  ): { readonly operations: readonly Operation[]; readonly resolve: Resolve };
  newForm(operation: Operation, resolve: Resolve, ways: Ways): Form;
  requestOf(operation: Operation, form: Form): Request;
}

const loadPage = async (): Promise<Page> => {
  // The page's own address, from which its requests have that of the service.
  vi.stubGlobal('location', new URL('http://service/api-docs'));
  const load = (name: string): Promise<Page> =>
    import(new URL(`../../docs-page/${name}.js`, import.meta.url).href);
  return Object.assign({}, ...(await Promise.all(['description', 'request', 'ways'].map(load))));
};

/** An operation with its sample: parameters and body as the page begins with them. */
export interface Sample {
  readonly operation: Operation;
  readonly form: Form;
  /** The request of the form as it is now. */
  readonly request: () => Request;
}

/** Samples of every operation of a description that has one. */
export const samplesOf = async (document: unknown): Promise<readonly Sample[]> => {
  const page = await loadPage();
  const ways = page.waysOf(describedMethods(), { language: 'en', t: {}, document });
  const { operations, resolve } = page.readDescription(document, ways);
  return operations.flatMap((operation) => {
    const form = page.newForm(operation, resolve, ways);
    if (form.body === '' && Object.keys(form.values).length === 0) return [];
    return [{ operation, form, request: () => page.requestOf(operation, form) }];
  });
};
