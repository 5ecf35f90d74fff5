import { defineProblem } from 'gatewright';

export const soldOut = defineProblem({
  status: 409,
  number: 50,
  message: { en: 'Only {left} left', 'zh-CN': '仅剩 {left}' },
});

// @ts-expect-error: how many are left?
export const wrong = () => soldOut();
export const half = () => defineProblem({ status: 409, number: 51, message: { en: 'No' } });
