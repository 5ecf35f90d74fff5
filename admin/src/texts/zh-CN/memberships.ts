/** Texts of the access that memberships give, on the page of a user. */
export const memberships = {
  title: '凭成员身份可访问的内容',
  everything: '管理员可访问所有记录，与成员身份无关。',
  empty: '还没有“%{labels}”。添加一条，即可向该用户开放%{models}。',
  accessTo: '%{labels}',
  unread: '您没有查看“%{labels}”的权限。',
  add: '添加%{label}',
  all: '全部 %{count} 条',
  opens: '开放：',
  opened: '（%{access}）',
  opensNothing: '按这些值，不开放任何记录。',
  access: {
    read: '读',
    write: '写',
    both: '读写',
  },
};
