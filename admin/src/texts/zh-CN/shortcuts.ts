/** Texts of the list of keyboard shortcuts. */
export const shortcuts = {
  title: '键盘快捷键',
  search: '搜索当前列表',
  next: '下一行',
  previous: '上一行',
  open: '打开所在行',
  create: '新建',
  edit: '编辑',
  help: '显示快捷键',
  close: '关闭，已选的值保留',
};
