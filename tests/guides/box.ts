/** The box at the head of a guide: everything that a reader needs before the first block. */
export interface Box {
  readonly folder: string;
  /** The example in whose folder the commands run, or `empty`; undefined where the page runs none. */
  readonly place: string | undefined;
  /** The command that brings the folder back to its beginning; undefined where there is nothing to undo. */
  readonly reset: string | undefined;
  /** Tools beside bash and curl, which every guide needs. */
  readonly tools: string;
  /** Variables that the reader sets; the blocks set all others. */
  readonly variables: string;
}

const languages = {
  en: {
    start: '**Before you start.**',
    labels: ['Folder:', 'Reset:', 'Tools:', 'Variables:'],
    empty: 'an empty folder',
  },
  'zh-CN': { start: '**开始之前。**', labels: ['目录：', '重置：', '工具：', '变量：'], empty: '空目录' },
};

/** The quotation directly below the title, without its marks. */
const quotation = /^# .*\n\n(?:\[(?:English|简体中文)\]\([^)]*\)\n\n)?((?:> .*\n)+)/;

/** The box of a page, undefined where it has none, or no folder and reset. */
export const boxOf = (page: string, isChinese: boolean): Box | undefined => {
  const { start, labels, empty } = languages[isChinese ? 'zh-CN' : 'en'];
  const text = quotation.exec(page)?.[1]?.replaceAll(/^> /gm, '').replaceAll('\n', ' ') ?? '';
  const places = labels.map((label) => text.indexOf(label));
  const [atFolder = -1, atReset = -1] = places;
  const found = places.filter((at) => at !== -1);
  const inOrder = found.every((at, index) => at > (found[index - 1] ?? 0));
  if (!text.startsWith(start) || atFolder === -1 || atReset === -1 || !inOrder) return undefined;
  const [folder = '', reset = '', tools = '', variables = ''] = labels.map((label, index) => {
    const at = places[index] ?? -1;
    return at === -1 ? '' : text.slice(at + label.length, found[found.indexOf(at) + 1]).trim();
  });
  const example = /`cd examples\/(\w+)`/.exec(folder)?.[1];
  const place = example ?? (folder.includes(empty) ? 'empty' : undefined);
  return { folder, place, reset: /`([^`]+)`/.exec(reset)?.[1], tools, variables };
};
