/**
 * The SQL of keys of several columns, which differs between databases. Columns of a model's rows are named where no
 * dialect is at hand, so a fragment of such a key takes its words when a statement is compiled.
 */

import { TableNode } from 'kysely';
import type { ColumnKind } from '../fields/field.ts';
import type { Fragment } from './statement.ts';

/** A value of a key, and its kind. */
export interface PartValue {
  readonly value: Fragment;
  readonly kind: ColumnKind;
}

export interface KeyWords {
  /** The id as text, from the values of its columns: see `keyOfColumns`. */
  idText(parts: readonly PartValue[]): Fragment;
  /** The value of the column at a place of the key, from the id as text; it is computed once for a statement. */
  idPart(id: Fragment, place: number, kind: ColumnKind): Fragment;
}

type Write = (words: KeyWords) => Fragment;

interface WordsNode extends TableNode {
  readonly write: Write;
}

/** The node of a fragment that is written in the words of the statement's database. */
export const inKeyWords = (write: Write) => ({
  toOperationNode: (): WordsNode => ({ ...TableNode.create('key'), write }),
});

/** The fragment of such a node; undefined for another node. */
export const writtenKey = (node: TableNode, words: KeyWords): Fragment | undefined =>
  'write' in node ? (node as WordsNode).write(words) : undefined;
