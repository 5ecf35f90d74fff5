import { expect } from 'vitest';
import type { Answer, Service } from './service.ts';

const base = '/api/v1/auth/oidc';

/** A browser: it keeps the cookies of its sign-ins. */
export class Browser {
  readonly #service: Service;
  readonly #cookies = new Map<string, string>();

  constructor(service: Service) {
    this.#service = service;
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookie(text: string) {
    for (const pair of text.split('; ')) {
      const [name = '', ...value] = pair.split('=');
      this.#cookies.set(name, value.join('='));
    }
  }

  async get(path: string): Promise<Answer> {
    const { cookie } = this;
    const answer = await this.#service.request('GET', path, {
      headers: cookie === '' ? {} : { cookie },
    });
    this.keep(answer);
    return answer;
  }

  keep({ headers }: Pick<Answer, 'headers'>): void {
    for (const set of headers['set-cookie'] ?? []) {
      const [pair = ''] = set.split('; ');
      if (set.includes('Max-Age=0')) this.#cookies.delete(pair.split('=')[0] ?? '');
      else this.cookie = pair;
    }
  }

  /** The address at the provider. */
  async start(provider = 'company', query = ''): Promise<string> {
    const { status, headers } = await this.get(`${base}/${provider}${query}`);
    expect(status).toBe(302);
    return headers.location ?? '';
  }

  finish(query: URLSearchParams, provider = 'company'): Promise<Answer> {
    return this.get(`${base}/${provider}/callback?${query}`);
  }
}

/** The parameter in the fragment of a redirection. */
export const fragmentOf = ({ headers }: Answer, name: string): string | null =>
  new URLSearchParams(new URL(headers.location ?? 'http://none').hash.slice(1)).get(name);
