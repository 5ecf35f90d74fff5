/** Texts of lists, pages and forms of records. */
export const records = {
  import: '导入',
  open: '查看%{label} %{id}',
  all: '全部 %{count} 条',
  empty: '还没有%{labels}。',
  create: '新建%{label}',
  createFirst: '新建第一条',
  edit: '编辑 %{name}',
  duplicate: '复制为新记录',
  copiedFrom: '内容复制自“',
  copiedEnd: '”。',
  notCopied: '以下字段的值不可重复，未复制：%{fields}。',
  added: '%{label} #%{id} 已保存，可继续填写下一条。',
  showAll: '显示全部',
  fold: '收起',
  notJson: '不是有效的 JSON',
  lines: {
    edit: '在此编辑',
    add: '添加%{label}',
    row: '第 %{number} 行',
    remove: '移除第 %{number} 行',
  },
};
