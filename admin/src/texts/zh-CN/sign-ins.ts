/** Texts of the sessions and tokens of a user, on the page of that user. */
export const signIns = {
  title: '登录情况',
  sessions: '会话',
  none: '没有有效的会话。',
  tokens: '令牌',
  lastTokenExpires: '已签发的令牌最晚有效至 ',
  noValidToken: '没有已知的有效令牌。',
  revokedUpTo: '过期不晚于此时的令牌均已吊销：',
  signedOut: '%{smart_count} 个令牌已单独退出。',
  tokensNotListed: '服务不保存令牌清单，此处只显示所知的情况。',
  since: '登录于 ',
  lastUsed: '最近使用：',
};
