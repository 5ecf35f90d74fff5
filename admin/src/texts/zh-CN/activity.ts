/** Texts of the page with the latest changes of all records. */
export const activity = {
  lead: '所有记录的更改，新的在前。',
  leadKept:
    '所有记录的更改，新的在前，保留 %{days} 天。未声明事件的模型，以及您无权读取的记录与字段，不在其中。',
  none: '没有找到更改。',
  noneYet: '最近的更改中没有找到，更早的尚未查找。',
  older: '显示更早的更改',
  all: '全部',
  model: '模型',
  action: '更改类型',
  user: '更改人',
  from: '开始日期',
  to: '结束日期',
};
