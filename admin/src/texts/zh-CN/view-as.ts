/** Texts of the page that shows records as another user sees them. */
export const viewAs = {
  title: '%{name} 看到的内容',
  action: '以其视角查看',
  leave: '返回用户',
  marked: '您正以 %{name} 的视角查看：只读，不能修改任何内容，每次查看都记入审计。',
  model: '资源',
  count: '%{name} 可见 %{count} 条',
  detail: '详情',
  list: '收起',
  previous: '上一页',
  next: '下一页',
};
