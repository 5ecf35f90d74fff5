/** Texts of inputs that pick a record. */
export const picker = {
  beyond: '显示前 %{shown} 条，共 %{total} 条。继续输入以缩小范围',
  newest: '显示最新的 %{shown} 条。继续输入以缩小范围',
  add: '新建%{label}并选用',
};
