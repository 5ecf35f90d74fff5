/** Texts of the form that changes several records. */
export const bulk = {
  nothing: '所选记录已是这些值，未作任何修改',
  savedSome: '已修改 %{count} 条；另有 %{unchanged} 条已是这些值，未改动',
  undone: '已撤销 %{count} 条修改',
  undoneSome: '已撤销 %{count} 条修改；%{left} 条此后又被修改，保持不变',
  edit: '批量修改',
  title: '修改 %{count} 条记录',
  lead: '只修改所选的字段，并在同一事务中完成：有一条被拒绝，就一条也不修改。',
  field: '添加要修改的字段',
  leave: '不修改“%{name}”',
  save: '修改 %{count} 条',
  saved: '已修改 %{count} 条',
  refused: '没有任何记录被修改，%{count} 条被拒绝：',
  without: '排除这 %{count} 条',
};
