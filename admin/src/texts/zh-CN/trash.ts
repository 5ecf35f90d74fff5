/** Texts of the page of deleted records. */
export const trash = {
  link: '已删除',
  title: '%{labels} · 已删除',
  lead: '已删除的记录，最近删除的在前。到期之前可以恢复，连同随之删除的一切。',
  by: '删除人',
  at: '删除时间',
  until: '保留',
  remaining: '剩余 %{count} 天',
  due: '即将清除',
  empty: '没有已删除的记录。',
  restore: '恢复',
  restored: '已恢复 %{count} 项',
  refused: '%{count} 项未能恢复：',
  undo: '撤销',
  moved: '已删除 %{count} 项，可在“已删除”中恢复',
  deleteLead: '删除后可在“已删除”中恢复，直至到期清除。',
};
