/** Texts of the page of applications that sign their requests. */
export const applications = {
  lead: '以签名调用的应用。密钥存于加密凭据中，只能用命令行 gatewright app 管理，不在此处显示。',
  empty: '还没有应用。用 gatewright app create 注册。',
  leadToRotate:
    '对请求签名的应用。密钥只保存在加密凭据中，此处不显示；轮换时由浏览器生成新密钥，仅显示一次。',
  replaceKey: '更换公钥',
  keyTitle: '更换应用“%{name}”的公钥',
  keyLead: '应用以对应的私钥签名。重叠期内新旧公钥都有效。',
  keyReplaced: '应用“%{name}”的公钥已更换',
  newKey: '新公钥（Ed25519，PEM）',
  rotateTitle: '轮换应用“%{name}”的密钥',
  rotateLead: '新密钥立即生效。重叠期内新旧密钥都可以签名，请在此期间更换应用中的密钥。',
  rotatedTitle: '应用“%{name}”的新密钥',
  rotated: '应用“%{name}”的密钥已轮换',
  secretLead: '请立即保存：密钥只在此显示一次，服务不会再次显示。',
  confirmStored: '我已妥善保存此密钥',
};
