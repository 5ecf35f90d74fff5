/** Texts of saved views. */
export const views = {
  link: '此视图的链接，包含所选的列',
  label: '视图',
  all: '全部',
  changed: '已修改',
  save: '保存为视图',
  keep: '保存修改',
  saveAs: '另存为…',
  rename: '重命名或共享…',
  delete: '删除',
  menu: '视图“%{name}”的操作',
  name: '名称',
  help: '保存当前的筛选、排序和列。',
  share: '与所有管理员共享',
  saveTitle: '保存为视图',
  renameTitle: '重命名或共享视图',
  deleteTitle: '删除视图“%{name}”？',
};
