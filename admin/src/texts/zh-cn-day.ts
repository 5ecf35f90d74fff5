/** Texts of an administrator's daily work. */
export const zhCNDay = {
  keys: {
    revoked: '已吊销的密钥',
    notFound: '此服务没有这个密钥',
  },
  bulk: {
    nothing: '所选记录已是这些值，未作任何修改',
    saved: '已修改 %{count} 条；另有 %{unchanged} 条已是这些值，未改动',
    undone: '已撤销 %{count} 条修改',
    undoneSome: '已撤销 %{count} 条修改；%{left} 条此后又被修改，保持不变',
  },
  routes: {
    title: '响应时间',
  },
  about: {
    title: '关于此服务',
  },
  export: {
    named: '导出（引用显示名称）',
  },
  views: {
    link: '此视图的链接，包含所选的列',
  },
} as const;
