/** Texts of the page that shows records as another user sees them. */
export const viewAs = {
  title: '%{name} 看到的内容',
  action: '以其视角查看',
  leave: '返回用户',
  marked: '您正以 %{name} 的视角查看：只读，不能修改任何内容，每次查看都记入审计。',
  model: '资源',
  count: '%{name} 可见 %{count} 条',
  nothing: '%{name} 在此看不到任何记录。',
  hiddenRecords: '另有 %{smart_count} 条不可见',
  because: '：%{rule}',
  hiddenFields: '不可见的字段：%{fields}',
  hidden: '不可见',
  hiddenFrom: '对 %{name} 不可见',
  explain: '解释',
};
