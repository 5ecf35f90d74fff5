/** Texts of the palette that leads to pages and records. */
export const palette = {
  revokedKeys: '已吊销的密钥',
  open: '快速前往',
  label: '输入页面、记录名称或编号',
  pages: '概览',
  actions: '操作',
  everything: '在全部%{group}中查找“%{words}”',
  searching: '正在查找记录…',
  failed: '记录查找失败，仍可前往页面。',
  found: '找到 %{smart_count} 条记录',
  help: '↑ ↓ 选择，Enter 前往，Esc 关闭',
};
