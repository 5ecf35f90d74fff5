import { httpSignatureWay } from './http-signature-way.js';
import { proxyWay } from './proxy-way.js';
import { secretWay } from './secret-way.js';
import { sessionWay } from './session-way.js';
import { signatureWay } from './signature-way.js';

/** How a page and a script send the credentials of each method. */

/**
 * @typedef {{ expires: number, renew: () => Promise<unknown> }} Renewal `expires` in Unix milliseconds
 * @typedef {{ value: string, account?: string | undefined, renewal?: Renewal | undefined }} Held
 * @typedef {{ name: string, label: Record<string, string>, headers: string[], byProxy?: true, secret?: {
 *   option: string, prefix: string, variable: string, label: Record<string, string>, held: Record<string, string>,
 *   recognisable: boolean
 * } }} Described a method as the service describes it, `methods.json`
 * @typedef {{ language: string, t: import('./texts.js').Texts, document: any }} Page
 * @typedef {{ before?: string[], headers?: string[] }} Lines
 * @typedef {{
 *   needsBody?: boolean,
 *   curl: { before?: string[], options?: string[] },
 *   script: Lines & { top?: string[] },
 *   client: Lines & { imports?: string[], option?: string },
 *   python: Lines & { imports?: string[] },
 * }} Samples what a method adds to a call in each language; with `needsBody` there is a variable `body` in any case
 * @typedef {{
 *   name: string, label: string, variables: string[], slot?: string,
 *   heldText?: (held: Held) => string,
 *   dialog?: (done: () => void) => HTMLElement,
 *   intro?: string,
 *   form?: (context: import('./try-view.js').Context) => { element: HTMLElement, update: () => void },
 *   oneLineBody?: { example: object },
 *   headers: (
 *     form: import('./request.js').Form, request: import('./request.js').Request
 *   ) => Record<string, string> | Promise<Record<string, string>>,
 *   credentials?: RequestCredentials,
 *   signIn?: { operation: string, keep: (data: any) => void },
 *   samples: (request: import('./request.js').Request) => Samples,
 * }} Way
 *   `slot` names what is held for it, `dialog` is its part of the dialog in which credentials come and go, `intro` what
 *   that says where there is no such part; `form` is what a request asks for before it can be sent
 * @typedef {(method: Described, page: Page) => Way} MakeWay
 * @typedef {Map<string, Way>} Ways
 */

/** Methods that compute what they send, or have the browser send it: a file and a line each. @type {Record<string, MakeWay>} */
export const computed = {
  session: sessionWay,
  signature: signatureWay,
  http_signature: httpSignatureWay,
};

/** @param {readonly Described[]} methods @param {Page} page @returns {Ways} */
export const waysOf = (methods, page) =>
  new Map(
    methods.map((method) => {
      const { name, secret, byProxy } = method;
      const make = computed[name];
      if (secret !== undefined) return [name, secretWay({ ...method, secret }, page)];
      if (byProxy) return [name, proxyWay(method, page)];
      if (make === undefined) throw new Error(`${name} has no secret and no way of its own`);
      return [name, make(method, page)];
    }),
  );
