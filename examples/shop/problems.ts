import { defineProblem } from 'gatewright';

export const soldOut = defineProblem({
  status: 409,
  number: 50,
  message: { 'zh-CN': '{name}仅剩 {left} 件', en: 'Only {left} of {name} left' },
});

export const noSuchStep = defineProblem({
  status: 409,
  number: 51,
  message: { 'zh-CN': '订单不能由 {from} 变为 {to}', en: 'An order cannot go from {from} to {to}' },
});

export const wrongAmount = defineProblem({
  status: 409,
  number: 52,
  message: { 'zh-CN': '金额与订单不符', en: 'That is not what the order costs' },
});

export const wrongSignature = defineProblem({
  status: 403,
  number: 50,
  message: { 'zh-CN': '签名无效', en: 'The signature is not valid' },
});

export const badLines = defineProblem({
  status: 422,
  number: 50,
  message: {
    'zh-CN': 'lines 应为 1 到 50 项，每项含 product（商品编号）与 quantity（1 到 1000），商品不重复',
    en: 'lines must be 1 to 50 of {"product": id, "quantity": 1 to 1000}, each product once',
  },
});

export const noImage = defineProblem({
  status: 415,
  number: 50,
  message: { 'zh-CN': '图片须为 PNG、JPEG 或 WebP', en: 'An image is a PNG, JPEG or WebP file' },
});
