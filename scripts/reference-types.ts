import { readFileSync } from 'node:fs';
import ts from 'typescript';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { inLanguage, typeInLanguage } from './reference-chinese.ts';
import { code, table } from './reference-markdown.ts';

/** A member of an interface, as its source documents it. */
export interface MemberDocs {
  readonly name: string;
  /** The type as written; empty for a method. */
  readonly type: string;
  /** Names of a method's parameters; undefined for a property. */
  readonly parameters: readonly string[] | undefined;
  readonly optional: boolean;
  readonly about: string;
}

export const parse = (path: string): ts.SourceFile => {
  const text = readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8');
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
};

/** The doc comment of a node in one line, with the errors that it names. */
export const docsOf = (node: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .flatMap(({ comment, tags = [] }) => [
      ts.getTextOfJSDocComment(comment) ?? '',
      ...tags
        .filter(({ tagName }) => tagName.text === 'throws')
        .map((tag) => `Throws ${ts.getTextOfJSDocComment(tag.comment) ?? ''}.`),
    ])
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/`+ *\./g, (end) => `${end.trim().replaceAll(' ', '')}`)
    .trim();

/** Interfaces of source files, by name. */
export const interfacesIn = (paths: readonly string[]): ReadonlyMap<string, ts.InterfaceDeclaration> =>
  new Map(
    paths.flatMap((path) =>
      parse(path)
        .statements.filter(ts.isInterfaceDeclaration)
        .map((node): [string, ts.InterfaceDeclaration] => [node.name.text, node]),
    ),
  );

const memberOf = (member: ts.TypeElement): readonly MemberDocs[] => {
  if (member.name === undefined) return [];
  const common = {
    name: member.name.getText(),
    optional: member.questionToken !== undefined,
    about: docsOf(member),
  };
  if (ts.isPropertySignature(member)) {
    const { type } = member;
    if (type !== undefined && ts.isFunctionTypeNode(type))
      return [{ ...common, type: '', parameters: type.parameters.map(({ name }) => name.getText()) }];
    return [{ ...common, type: type?.getText().replace(/\s+/g, ' ') ?? '', parameters: undefined }];
  }
  if (!ts.isMethodSignature(member)) return [];
  const parameters = member.parameters.map(
    ({ name, questionToken }) => `${name.getText()}${questionToken === undefined ? '' : '?'}`,
  );
  return [{ ...common, type: '', parameters }];
};

/** Members of an interface, inherited ones first. @throws Error where none of the files declares it */
export const membersOf = (
  interfaces: ReadonlyMap<string, ts.InterfaceDeclaration>,
  name: string,
): readonly MemberDocs[] => {
  const node = interfaces.get(name);
  if (node === undefined) throw new Error(`no interface ${name}`);
  const inherited = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap(({ expression }) => membersOf(interfaces, expression.getText())),
  );
  const own = node.members.flatMap(memberOf);
  const names = new Set(own.map((member) => member.name));
  return [...inherited.filter((member) => !names.has(member.name)), ...own];
};

/** A table of three columns; of two where no row has a type. */
const withoutEmptyTypes = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.some(([, type]) => type !== '')
    ? table(head, rows)
    : table(
        head.filter((_, at) => at !== 1),
        rows.map((row) => row.filter((_, at) => at !== 1)),
      );

/**
 * A table of members: name, type and documentation in the language of the page.
 * @param plainTypes types as a reader writes them, for those that the source states with type parameters
 * @throws Error for a member without documentation
 */
export const memberTable = (
  members: readonly MemberDocs[],
  plainTypes: Readonly<Record<string, string>> = {},
  locale: ServiceLocale = 'en',
): string =>
  withoutEmptyTypes(
    locale === 'en' ? ['name', 'type', ''] : ['名称', '类型', ''],
    members.map(({ name, type, parameters, about: english }) => {
      if (english === '') throw new Error(`${name} has no doc comment`);
      const about = inLanguage(english, locale);
      if (parameters !== undefined) return [code(`${name}(${parameters.join(', ')})`), '', about];
      const plain = plainTypes[name] ?? type;
      if (/[<(]/.test(plain) && plainTypes[name] === undefined)
        throw new Error(`${name} needs a type without parameters: ${type}`);
      return [code(name), code(typeInLanguage(plain, locale)), about];
    }),
  );
