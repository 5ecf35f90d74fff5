/** Texts of the dialog at the end of a session. */
export const sessionEnd = {
  title: '请重新登录',
  lead: '会话已结束：可能是长时间未操作、密码已修改，或会话在别处被结束。重新登录后即可继续，已填写的内容不会丢失。',
  giveUp: '放弃并离开此页',
  stranger: '现在登录的是 %{now}。此页的内容属于 %{name}，请以 %{name} 的身份登录后继续。',
  startOver: '以 %{name} 的身份重新开始',
};
