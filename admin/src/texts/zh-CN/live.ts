/** Texts of lists that follow changes. */
export const live = {
  switch: '实时更新',
  connecting: '正在连接…',
  connected: '已连接',
  broken: '未连接，正在重试',
  paused: '已暂停',
  refused: '无法连接：%{reason}',
  fresh: '%{count} 条新记录：显示',
  changed: '刚刚修改',
  deleted: '已被删除',
};
