/** Texts of the page of response times. */
export const routes = {
  lead: '最近 24 小时各接口的响应时间，包括全部实例，不含管理后台。最慢的在前；耗时为所在区间的上限。',
  empty: '24 小时内没有请求。',
  milliseconds: '毫秒',
  atMost: '≤ %{milliseconds} 毫秒',
};
