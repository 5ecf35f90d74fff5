/** Texts of failures and of pages that are not there. */
export const problem = {
  retry: '重试',
  late: '服务在一分钟内没有响应，操作可能已经完成，也可能没有。',
  slowly: '加载所需时间比平时长，网络可能较慢…',
  missing: {
    title: '记录不存在',
    lead: '它可能已被删除，或地址有误。',
  },
  title: '无法显示此页',
  unreachable: '无法连接到服务，请检查网络后重试。',
  locked: '失败次数过多，已暂时锁定。请在 %{minutes} 分钟后重试。',
  notFound: {
    title: '页面不存在',
    lead: '地址有误，或内容已不存在。',
    back: '回到概览',
  },
};
