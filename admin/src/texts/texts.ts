import type { en as serviceMessages } from '../../../src/kernel/messages/en.ts';
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
  /** The messages of the service. */
  readonly service: SameKeys<typeof serviceMessages>;
}
