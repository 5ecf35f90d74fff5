import type { Catalogue } from '../../../src/kernel/messages/catalogue.ts';
import type { SameKeys } from './same-keys.ts';
import type { zhCN } from './zh-cn.ts';

export interface Tree {
  readonly [key: string]: string | Tree;
}

/** All texts of one language. */
export interface Texts {
  readonly app: SameKeys<typeof zhCN>;
  /** Texts that ra-core shows by itself. */
  readonly ra: Tree;
  /** Messages of the service that the pages show by themselves. */
  readonly service: Pick<Catalogue, 'explained' | 'problems'>;
}
