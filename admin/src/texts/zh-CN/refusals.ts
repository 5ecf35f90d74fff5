/** Texts of the list of rejected requests. */
export const refusals = {
  title: '最近被拒绝的请求',
  lead: '已知调用者在 24 小时内被拒绝的请求，包括凭据失效的请求。点击一项可查看判定。',
  causes: '按调用者、接口与错误码汇总',
  single: '逐项请求（相同的请求按小时合并）',
  empty: '24 小时内没有被拒绝的请求。',
  request: '请求',
  hidden: '行规则之外的记录',
  key: '%{owner} 的密钥“%{name}”',
  revokedKey: '%{owner} 的密钥“%{name}”（已吊销）',
  revokedAt: '吊销于 %{when}',
  revokedBy: '由 %{who} 吊销于 %{when}',
  nowAllowed: '当时被拒绝（%{was}），现在会被允许。',
  credentials: '当时凭据无效（%{was}）。',
  tokenOver:
    '令牌在 24 小时后过期，由会话换得的令牌随会话结束，停用用户则令牌全部失效。重新登录可取得新令牌。下方是持有有效令牌时的判定。',
  keyOver: '密钥已过期，或其所有者已停用。过期的密钥不能延期，须另建一个来更换。',
  keyRevoked:
    '密钥已吊销，但仍有人在使用。如果这是正常的调用，请另建密钥交给对方；否则请查明旧密钥在谁手中。',
  signatureWrong:
    '签名不符，因此并未证明是该应用所发。常见原因：密钥刚轮换、签名所用的请求体与发送的不一致、时间戳与签名所用的不同。下方是签名正确时的判定。',
  signatureLate:
    '时间戳与服务器相差 300 秒以上：请校准调用者的时钟，并在临发送时签名。下方是签名正确时的判定。',
  toUser: '查看用户',
  toKey: '查看密钥',
  toApplications: '查看应用',
  otherCodeNow: '当时因 %{was} 被拒绝，现在会因 %{code} 被拒绝。',
};
