/** Texts of the page of payments. */
export const payments = {
  lead: '应用通过签名接口提交的支付。',
  body: '原文',
  showBody: '支付 %{id} 的原文',
  empty: '还没有收到支付。',
};
